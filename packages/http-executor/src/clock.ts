import timers from 'node:timers/promises';
import { Cancelled } from './errors.ts';

/** Source of time that tests can replace. Durations are in milliseconds. */
export interface Clock {
  now(): number;
  /** Returns the wall-clock time, for `Retry-After` dates. */
  date(): Date;
  /** Calls `callback` once, after `ms` milliseconds. Returns a function that cancels the timer. */
  timer(ms: number, callback: () => void): () => void;
  /** Resolves after `ms` milliseconds, or rejects as soon as `signal` is aborted. */
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

export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  /** Aborted when the caller disconnects. */
  readonly caller?: AbortSignal;
}

export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Runs work with a deadline. At the deadline, aborts the signal given to `work` and rejects.
 * Rejects without waiting for the work to stop, because a DNS lookup may take seconds to stop.
 * @throws {DeadlineExceeded} when the time is up.
 * @throws {Cancelled} when the caller has disconnected.
 */
export function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { clock, ms, caller }: Deadline,
): Promise<T> {
  if (caller?.aborted) return Promise.reject(new Cancelled());

  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const stop = (reason: Error) => {
      release();
      reject(reason);
      controller.abort(reason);
    };
    const onCallerGone = () => stop(new Cancelled());
    const cancelTimer = clock.timer(ms, () => stop(new DeadlineExceeded()));
    caller?.addEventListener('abort', onCallerGone);
    const release = () => {
      cancelTimer();
      caller?.removeEventListener('abort', onCallerGone);
    };
    work(controller.signal).finally(release).then(resolve, reject);
  });
}
