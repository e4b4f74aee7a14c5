import { setTimeout as delay } from 'node:timers/promises';

/** The service accepts requests in every state. */
export type State = 'starting' | 'ready' | 'draining';

const SELF_TEST_EVERY_MS = 1_000;

export class Lifecycle {
  readonly #selfTest: () => void | Promise<void>;
  readonly #draining = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  #state: State = 'starting';

  constructor(selfTest: () => void | Promise<void> = () => {}) {
    this.#selfTest = selfTest;
  }

  get state(): State {
    return this.#state;
  }

  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  /** Resolves once, when the self-test has passed. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Repeats the self-test until it passes or draining begins. A busy machine may need repeats. */
  async start(onFailure: (error: unknown) => void): Promise<void> {
    while (this.#state === 'starting') {
      try {
        await this.#selfTest();
        if (this.#state !== 'starting') return;
        this.#state = 'ready';
        this.#ready.resolve();
      } catch (error) {
        // Shutdown may interrupt the self-test, which is not a failure.
        if (this.#state === 'starting') onFailure(error);
        await delay(SELF_TEST_EVERY_MS, undefined, { ref: false });
      }
    }
  }

  /** Stops being ready permanently. Requests are answered until the server closes. */
  drain(): void {
    this.#state = 'draining';
    this.#draining.abort();
  }
}
