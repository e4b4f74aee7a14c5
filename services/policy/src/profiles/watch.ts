import { type StatsListener, unwatchFile, watchFile } from 'node:fs';

/** Polled, which notices renamed files, swapped links and mounts that send no events. */
const POLL_MS = 200;

/** Whoever writes the file in place may pause for shorter than this, and never shows half of it. */
const SETTLE_MS = 1_000;

/** Calls back once a file that changed, or was replaced or removed, rests. Returns what ends that. */
export function watchForChange(path: string, changed: () => void): () => void {
  let pending: NodeJS.Timeout | undefined;
  const listener: StatsListener = () => {
    clearTimeout(pending);
    pending = setTimeout(changed, SETTLE_MS).unref();
  };
  watchFile(path, { interval: POLL_MS, persistent: false }, listener);
  return () => {
    clearTimeout(pending);
    unwatchFile(path, listener);
  };
}
