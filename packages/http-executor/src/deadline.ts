import type { Clock } from './clock.ts';
import { Cancelled } from './errors.ts';

export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Runs work with a deadline. Connecting and resolving react late to an `AbortSignal`, so we do not
 * wait for them: the promise rejects at once, and then the signal of the work aborts.
 * @throws {DeadlineExceeded} when the time is over.
 * @throws {Cancelled} when the caller has gone away.
 */
export function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { clock, ms, caller }: { clock: Clock; ms: number; caller: AbortSignal },
): Promise<T> {
  if (caller.aborted) return Promise.reject(new Cancelled());
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const stop = (reason: Error) => {
      release();
      reject(reason);
      controller.abort(reason);
    };
    const onCallerGone = () => stop(new Cancelled());
    const cancelTimer = clock.timer(ms, () => stop(new DeadlineExceeded()));
    caller.addEventListener('abort', onCallerGone);
    const release = () => {
      cancelTimer();
      caller.removeEventListener('abort', onCallerGone);
    };
    work(controller.signal).finally(release).then(resolve, reject);
  });
}
