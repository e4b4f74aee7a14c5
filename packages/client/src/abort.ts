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
