import { statSync, unwatchFile, watchFile } from 'node:fs';

/** Polling also notices renamed files, swapped links and mounts that send no events. */
const POLL_MS = 200;

/** Half of a file can be valid, so a file is read once it has not changed for this long. */
const SETTLE_MS = 5_000;

/** A file that was renamed after its last write is complete. */
const SETTLE_RENAMED_MS = 300;

export interface WatchedFile {
  /** Calls `changed` as if the file had changed now. */
  readonly readAgain: () => void;
  readonly stop: () => void;
}

/**
 * Calls `changed` once a file that was written, replaced or removed has settled. It does so
 * first soon after the start, because the file may have changed since it was read.
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

/** Writing sets both times; renaming sets only the time of the last change of the inode. */
function isRenamed(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.ctimeMs > stats.mtimeMs;
}
