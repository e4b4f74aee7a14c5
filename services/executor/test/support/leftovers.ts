import { setTimeout as sleep } from 'node:timers/promises';

/** What keeps a process alive or ends it without anyone having meant to. */
export interface Leftovers extends Disposable {
  /** Rejections and exceptions that nobody handled since the start. */
  readonly unhandled: readonly unknown[];
  /**
   * The kinds of resources of which there are more than at the start, once they no longer
   * go away by themselves.
   */
  more(): Promise<Readonly<Record<string, number>>>;
}

const PATIENCE_MS = 60_000;

export function watchLeftovers(): Leftovers {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  process.on('uncaughtExceptionMonitor', note);
  const before = resources();
  const more = () =>
    Object.entries(resources()).filter(([kind, count]) => count > (before[kind] ?? 0));
  return {
    unhandled,
    more: async () => {
      const until = performance.now() + PATIENCE_MS;
      while (more().length > 0 && performance.now() < until) await sleep(20);
      return Object.fromEntries(more());
    },
    [Symbol.dispose]: () => {
      process.off('unhandledRejection', note);
      process.off('uncaughtExceptionMonitor', note);
    },
  };
}

function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
