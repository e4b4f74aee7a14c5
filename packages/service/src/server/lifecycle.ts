import { setTimeout as delay } from 'node:timers/promises';

const SELF_TEST_EVERY_MS = 1_000;

/** Check that must pass before the service reports ready. Throws or rejects on failure. */
export type SelfTest = () => void | Promise<void>;

export class Lifecycle {
  readonly #drain = new AbortController();
  readonly #pass = Promise.withResolvers<void>();
  #state: 'starting' | 'ready' | 'draining' = 'starting';
  readonly draining = this.#drain.signal;
  /** Resolves when the self-test has passed. */
  readonly ready = this.#pass.promise;

  get state() {
    return this.#state;
  }

  /** Repeats the self-test until it passes, because the first try may fail on a busy machine. */
  async start(selfTest: SelfTest, onFailure: (error: unknown) => void): Promise<void> {
    while (this.#state === 'starting') {
      try {
        await selfTest();
        if (this.#state !== 'starting') return;

        this.#state = 'ready';
        this.#pass.resolve();
      } catch (error) {
        // If a shutdown interrupted the self-test, do not report a failure.
        if (this.#state === 'starting') onFailure(error);
        await delay(SELF_TEST_EVERY_MS, undefined, { ref: false });
      }
    }
  }

  /** Makes `/readyz` answer 503 and ends retries. Other paths work until the server closes. */
  drain(): void {
    this.#state = 'draining';
    this.#drain.abort();
  }
}
