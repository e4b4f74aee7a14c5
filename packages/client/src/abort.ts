/** Calls `run`, but rejects as soon as `signal` is aborted, even if `run` never settles. */
export function unlessAborted<T>(signal: AbortSignal | undefined, run: () => Promise<T>) {
  if (signal === undefined) return run();
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    run()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Longest timer delay in Node. A timer with a longer delay fires immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** @throws {TypeError} for an invalid time limit, such as 0 or `Infinity`. */
export function checkedTimeout(ms: number): number {
  if (typeof ms === 'number' && ms > 0 && ms <= MAX_TIMEOUT_MS) return Math.ceil(ms);
  throw new TypeError(
    `\`timeoutMs\` must be above 0 and at most ${MAX_TIMEOUT_MS} milliseconds, but is \`${ms}\`.`,
  );
}
