/** A call has taken too long, or its caller has given it up. */
export class DeadlineOver extends Error {
  override readonly name = 'DeadlineOver';
  readonly reason: 'timeout' | 'aborted';

  constructor(reason: DeadlineOver['reason'], cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly left: () => number;
}

/**
 * Runs with a time limit and the caller's signal. Rejects at once when either ends it: undici
 * notices late while it connects.
 * @throws {DeadlineOver}
 */
export function withDeadline<T>(
  ms: number,
  caller: AbortSignal | undefined,
  run: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const end = performance.now() + ms;
    const stop = (reason: DeadlineOver) => {
      reject(reason);
      controller.abort(reason);
    };
    const abort = () => stop(new DeadlineOver('aborted', caller?.reason));
    const timer = setTimeout(() => stop(new DeadlineOver('timeout')), ms);
    caller?.addEventListener('abort', abort, { once: true });
    run({ signal: controller.signal, left: () => end - performance.now() })
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        caller?.removeEventListener('abort', abort);
      });
  });
}
