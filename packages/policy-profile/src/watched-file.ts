import { unwatchFile, watchFile } from 'node:fs';

/** Polling also notices renamed files, swapped links and mounts that send no events. */
const POLL_MS = 200;

/** Half of a file can be valid, so it is read once it has not changed for this long. */
const SETTLE_MS = 2_000;

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
    settling = setTimeout(changed, SETTLE_MS).unref();
  };
  watchFile(path, { interval: POLL_MS, persistent: false }, readAgain);
  readAgain();
  const stop = () => {
    clearTimeout(settling);
    unwatchFile(path, readAgain);
  };
  return { readAgain, stop };
}
