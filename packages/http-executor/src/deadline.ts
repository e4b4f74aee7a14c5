import type { Clock } from './clock.ts';
import { Cancelled } from './refusal.ts';

/** Thrown when the time is over; whatever the work still does is noise then. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** One for all, since making an error with its stack for every attempt would cost more than the rest of this. */
const OVER = new Error('the attempt is over');

/**
 * Runs work against our own timer: an `AbortSignal` alone is no deadline, since connecting, resolving and queued
 * work honour it late. However it ends, the signal handed to the work is aborted, so that nothing is left behind.
 */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { clock, ms, caller }: { clock: Clock; ms: number; caller: AbortSignal },
): Promise<T> {
  if (caller.aborted) throw new Cancelled();
  const controller = new AbortController();
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  const cancelTimer = clock.timer(ms, () => reject(new DeadlineExceeded()));
  const onCallerGone = () => reject(new Cancelled());
  caller.addEventListener('abort', onCallerGone, { once: true, signal: controller.signal });
  const running = work(controller.signal);
  running.catch(() => {});
  try {
    return await Promise.race([interrupted, running]);
  } finally {
    cancelTimer();
    controller.abort(OVER);
  }
}
