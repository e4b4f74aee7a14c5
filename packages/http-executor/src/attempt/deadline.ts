import type { Clock } from '../clock.ts';
import { Cancelled } from '../errors.ts';

export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** Registers what to close when the work is aborted; the latest call counts. */
export type OnAbort = (cleanup: () => void) => void;

/**
 * Runs work against a timer of our own: connecting and resolving honour an
 * `AbortSignal` late. Rejects as the work does.
 * @throws {DeadlineExceeded} when the time is over.
 * @throws {Cancelled} when the caller has gone away.
 */
export function withDeadline<T>(
  work: (onAbort: OnAbort) => Promise<T>,
  { clock, ms, caller }: { clock: Clock; ms: number; caller: AbortSignal },
): Promise<T> {
  if (caller.aborted) return Promise.reject(new Cancelled());
  return new Promise((resolve, reject) => {
    let cleanup = () => {};
    let aborted = false;
    const abort = (reason: Error) => {
      aborted = true;
      release();
      reject(reason);
      cleanup();
    };
    const onCallerGone = () => abort(new Cancelled());
    const cancelTimer = clock.timer(ms, () => abort(new DeadlineExceeded()));
    caller.addEventListener('abort', onCallerGone);
    const release = () => {
      cancelTimer();
      caller.removeEventListener('abort', onCallerGone);
    };
    const onAbort = (latest: () => void) => {
      cleanup = latest;
      // Work that was between two steps when it was aborted begins the next one.
      if (aborted) latest();
    };
    work(onAbort).finally(release).then(resolve, reject);
  });
}
