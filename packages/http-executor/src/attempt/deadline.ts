import type { Clock } from '../clock.ts';
import { Cancelled } from '../refusal.ts';

/** Thrown when the time is over; whatever the work still does is noise then. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** Tells what to do when the work is cut off; the latest call counts. */
export type OnCutOff = (giveUp: () => void) => void;

/**
 * Runs work against our own timer: an `AbortSignal` alone is no deadline, since
 * connecting, resolving and queued work honour it late. Rejects with `DeadlineExceeded`,
 * with `Cancelled` when the caller has gone away, or as the work does; work that is cut
 * off is told to give up what it has open.
 */
export function withDeadline<T>(
  work: (onCutOff: OnCutOff) => Promise<T>,
  { clock, ms, caller }: { clock: Clock; ms: number; caller: AbortSignal },
): Promise<T> {
  if (caller.aborted) return Promise.reject(new Cancelled());
  return new Promise((resolve, reject) => {
    let giveUp = () => {};
    let over = false;
    const cutOff = (reason: Error) => {
      over = true;
      release();
      reject(reason);
      giveUp();
    };
    const onCallerGone = () => cutOff(new Cancelled());
    const cancelTimer = clock.timer(ms, () => cutOff(new DeadlineExceeded()));
    caller.addEventListener('abort', onCallerGone);
    const release = () => {
      cancelTimer();
      caller.removeEventListener('abort', onCallerGone);
    };
    const onCutOff = (callback: () => void) => {
      giveUp = callback;
      // Work that was between two steps when it was cut off begins the next one
      // nevertheless.
      if (over) callback();
    };
    work(onCutOff).then(
      (value) => {
        release();
        resolve(value);
      },
      (error) => {
        release();
        reject(error);
      },
    );
  });
}
