import timers from 'node:timers/promises';

/** Source of time, which tests replace. Durations are milliseconds. */
export interface Clock {
  now(): number;
  /** Wall clock, for `Retry-After` dates. */
  date(): Date;
  /** Calls back once after the duration. The returned function cancels the timer. */
  timer(ms: number, callback: () => void): () => void;
  /** Resolves after the duration; rejects when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  timer: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  wait: (ms, signal) => timers.setTimeout(ms, undefined, { signal }),
};
