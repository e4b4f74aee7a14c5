import { statSync, unwatchFile, watchFile } from 'node:fs';

/** Milliseconds between polls. File events would miss renames, changed links and some mounts. */
const POLL_MS = 200;

/** Time to wait after the last change of a file, because a half-written file can look valid. */
const SETTLE_MS = 5_000;

/** Shorter wait for a file that was renamed into place, because a renamed file is complete. */
const SETTLE_RENAMED_MS = 300;

export interface WatchedFile {
  /** Calls `changed` after the usual wait, as if the file had just changed. */
  readonly readAgain: () => void;
  readonly stop: () => void;
}

/**
 * Calls `changed` after the file was written, replaced or removed, and then unchanged for a while.
 * Also calls `changed` once at the start, because the file may have changed since it was read.
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

/** Writing a file sets `mtime` and `ctime`; renaming a file sets only `ctime`. */
function isRenamed(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.ctimeMs > stats.mtimeMs;
}
