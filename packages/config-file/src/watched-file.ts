import { type Stats, unwatchFile, watchFile } from 'node:fs';

/** Polling interval in milliseconds. `fs.watch` would miss renames and changed symbolic links. */
const POLL_MS = 200;

/** Milliseconds to wait after the last change. A half-written file can look valid. */
const SETTLE_MS = 5_000;

/** Milliseconds to wait after a rename. A renamed file is already complete. */
const SETTLE_RENAMED_MS = 300;

export interface WatchedFile {
  /** Schedules a call of `changed`, even if the file has not changed. */
  readonly readAgain: () => void;
  readonly stop: () => void;
}

/**
 * Calls `changed` after the file is written, replaced or removed, once it stops changing. Also
 * calls `changed` soon after the start, in case the file changed after the caller read it.
 */
export function watchedFile(path: string, changed: () => void): WatchedFile {
  let settling: NodeJS.Timeout | undefined;
  let settledAt = performance.now() + SETTLE_MS;
  const readAgain = () => {
    clearTimeout(settling);
    // Wait for at least one more poll, in case a write has just begun.
    const ms = Math.max(SETTLE_RENAMED_MS, settledAt - performance.now());
    settling = setTimeout(changed, ms).unref();
  };
  const onChange = (now: Stats, before: Stats) => {
    settledAt = performance.now() + (isRenamed(now, before) ? SETTLE_RENAMED_MS : SETTLE_MS);
    readAgain();
  };
  watchFile(path, { interval: POLL_MS, persistent: false }, onChange);
  readAgain();
  const stop = () => {
    clearTimeout(settling);
    unwatchFile(path, onChange);
  };
  return { readAgain, stop };
}

/**
 * True if a finished file was renamed into place. A rename changes the inode number and updates
 * `ctime`, but not `mtime`. `ctime` alone proves nothing, because `chmod` also updates it.
 */
function isRenamed(now: Stats, before: Stats): boolean {
  return now.ino !== before.ino && now.ctimeMs > now.mtimeMs;
}
