/** The seam for time; durations are milliseconds. */
export interface Clock {
  /** Monotonic. */
  now(): number;
  /** Wall clock, for `Retry-After` dates. */
  date(): Date;
  /** Calls back once after the duration, unless the returned function is called first. */
  timer(ms: number, callback: () => void): () => void;
  /** Resolves after the duration; rejects with the signal's reason when that aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  timer: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal.addEventListener('abort', onAbort, { once: true });
    }),
};
