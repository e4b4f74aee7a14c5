import type { Clock } from './clock.ts';
import { Cancelled, Refusal } from './refusal.ts';

/**
 * How many executions may be in flight at once; a further one waits a while for a slot.
 */
export interface ConcurrencyLimits {
  readonly maxExecutions: number;
  readonly maxExecutionsPerHost: number;
  /** Milliseconds. */
  readonly maxWaitMs: number;
}

interface Waiter {
  readonly host: string;
  readonly proceed: () => void;
}

/**
 * Slots for executions, in all and per host; who waits is served in the order of arrival,
 * unless its host is full.
 */
export class Slots {
  readonly #limits: ConcurrencyLimits;
  readonly #clock: Clock;
  readonly #inUse = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  #total = 0;

  constructor(limits: ConcurrencyLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * Takes a slot: at once when undefined is returned, or as soon as there is one. Rejects
   * with a `TooManyRequests` refusal when there was none in time, and with `Cancelled`
   * when the caller has gone away.
   */
  take(host: string, caller: AbortSignal): Promise<void> | undefined {
    if (this.#hasRoom(host)) {
      this.#occupy(host);
      return undefined;
    }
    return this.#wait(host, caller);
  }

  release(host: string): void {
    const left = (this.#inUse.get(host) ?? 0) - 1;
    if (left > 0) this.#inUse.set(host, left);
    else this.#inUse.delete(host);
    this.#total -= 1;
    // One slot lets one proceed; the others had no room before and have none now.
    for (const waiter of this.#waiting) {
      if (!this.#hasRoom(waiter.host)) continue;
      waiter.proceed();
      return;
    }
  }

  #hasRoom(host: string): boolean {
    const { maxExecutions, maxExecutionsPerHost } = this.#limits;
    return this.#total < maxExecutions && (this.#inUse.get(host) ?? 0) < maxExecutionsPerHost;
  }

  #occupy(host: string): void {
    this.#inUse.set(host, (this.#inUse.get(host) ?? 0) + 1);
    this.#total += 1;
  }

  #wait(host: string, caller: AbortSignal): Promise<void> {
    if (caller.aborted) return Promise.reject(new Cancelled());
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiter);
        cancelTimer();
        caller.removeEventListener('abort', onCallerGone);
      };
      const onCallerGone = () => {
        leave();
        reject(new Cancelled());
      };
      const proceed = () => {
        leave();
        this.#occupy(host);
        resolve();
      };
      const waiter = { host, proceed };
      const cancelTimer = this.#clock.timer(this.#limits.maxWaitMs, () => {
        leave();
        reject(new Refusal('TooManyRequests', this.#whyFull(host)));
      });
      caller.addEventListener('abort', onCallerGone);
      this.#waiting.add(waiter);
    });
  }

  #whyFull(host: string): string {
    const { maxExecutions, maxExecutionsPerHost, maxWaitMs } = this.#limits;
    const full =
      this.#total >= maxExecutions
        ? `${maxExecutions} executions (HTTP_EXECUTOR_MAX_EXECUTIONS)`
        : `${maxExecutionsPerHost} executions for \`${host}\` (HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST)`;
    return `Nothing was sent; send the action again after \`retry-after\`: ${full} are in flight, and none ended within ${maxWaitMs} ms.`;
  }
}
