import { statSync, unwatchFile, watchFile } from 'node:fs';

/** Polling also notices renamed files, swapped links and mounts that send no events. */
const POLL_MS = 200;

/** A half-written file can be valid, so it is read only after it has not changed for this long. */
const SETTLE_MS = 5_000;

/** Shorter wait for a file that was renamed into place, because it is complete. */
const SETTLE_RENAMED_MS = 300;

interface WatchedFile {
  /** Calls `changed` as if the file had changed now. */
  readonly readAgain: () => void;
  readonly stop: () => void;
}

/**
 * Calls `changed` once a file that was written, replaced or removed has settled. The first call
 * comes soon after the start, because the file may have changed since it was read.
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

/** Writing sets both times of a file; renaming sets only `ctime`. */
function isRenamed(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.ctimeMs > stats.mtimeMs;
}
