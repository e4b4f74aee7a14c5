import type { Clock } from './clock.ts';
import { Cancelled } from './errors.ts';

export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Runs work against a timer of our own, because connecting and resolving honour an `AbortSignal`
 * late. The signal that the work gets aborts when nobody waits for it any more. Rejects as the
 * work does.
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
