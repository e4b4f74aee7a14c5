import { statSync, unwatchFile, watchFile } from 'node:fs';

/** Polling interval in milliseconds. `fs.watch` would miss renames and changed symbolic links. */
const POLL_MS = 200;

/** Milliseconds to wait after the last change, because a half-written file can look valid. */
const SETTLE_MS = 5_000;

/** Shorter wait after a rename, in milliseconds, because a renamed file is already complete. */
const SETTLE_RENAMED_MS = 300;

export interface WatchedFile {
  /** Schedules a call of `changed`, as if the file had just changed. */
  readonly readAgain: () => void;
  readonly stop: () => void;
}

/**
 * Calls `changed` when a file that was written, replaced or removed stops changing. Also calls
 * `changed` soon after the start, in case the file changed after the caller had read the file.
 */
export function watchedFile(path: string, changed: () => void): WatchedFile {
  let settling: NodeJS.Timeout | undefined;
  const readAgain = () => {
    clearTimeout(settling);
    settling = setTimeout(changed, isRenamed(path) ? SETTLE_RENAMED_MS : SETTLE_MS).unref();
  };
  watchFile(path, { interval: POLL_MS, persistent: false }, readAgain);
  readAgain();
  const stop = () => {
    clearTimeout(settling);
    unwatchFile(path, readAgain);
  };
  return { readAgain, stop };
}

/** True if the file was renamed into place, which updates its `ctime` but not its `mtime`. */
function isRenamed(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.ctimeMs > stats.mtimeMs;
}
