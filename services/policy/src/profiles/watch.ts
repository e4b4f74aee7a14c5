import { type StatsListener, unwatchFile, watchFile } from 'node:fs';

/** Polled, which notices renamed files, swapped links and mounts that send no events. */
const POLL_MS = 200;

/** Whoever writes the file in place may not be done. */
const SETTLE_MS = 100;

/** Calls back soon after a file has changed, was replaced or removed. Returns what ends that. */
export function watchForChange(path: string, changed: () => void): () => void {
  let pending: NodeJS.Timeout | undefined;
  const settle = () => {
    pending = undefined;
    changed();
  };
  const listener: StatsListener = () => {
    pending ??= setTimeout(settle, SETTLE_MS).unref();
  };
  watchFile(path, { interval: POLL_MS, persistent: false }, listener);
  return () => {
    clearTimeout(pending);
    unwatchFile(path, listener);
  };
}
