/**
 * Where a service stands between its start and its end; it takes requests in all of these
 * states.
 */
export type State = 'starting' | 'ready' | 'draining';

/** The life of one service, from its self-test to its last answer. */
export class Lifecycle {
  readonly #selfTest: () => void | Promise<void>;
  readonly #whenDraining: (() => void)[] = [];
  #state: State = 'starting';

  constructor(selfTest: () => void | Promise<void> = () => {}) {
    this.#selfTest = selfTest;
  }

  get state(): State {
    return this.#state;
  }

  /** Calls back once, when draining begins. */
  onDraining(callback: () => void): void {
    this.#whenDraining.push(callback);
  }

  /** Gets ready by the self-test; rejects as that does, and is not ready then. */
  async start(): Promise<void> {
    await this.#selfTest();
    if (this.#state === 'starting') this.#state = 'ready';
  }

  /**
   * Begins to drain, for good: no further work is asked for, and what is in flight ends
   * soon.
   */
  drain(): void {
    if (this.#state === 'draining') return;
    this.#state = 'draining';
    for (const callback of this.#whenDraining) callback();
  }
}
