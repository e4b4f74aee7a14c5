import type { Clock } from './clock.ts';
import { DeadlineExceeded, withDeadline } from './deadline.ts';
import { Refusal } from './errors.ts';
import type { ConcurrencyLimits } from './limits.ts';
import type { SettingNames } from './sandbox/sandbox.ts';

interface Waiter {
  readonly host: string;
  readonly proceed: () => void;
}

/** A semaphore for all executions and for each host, in order of arrival per host. */
export class Slots {
  readonly #limits: ConcurrencyLimits;
  readonly #clock: Clock;
  readonly #names: SettingNames;
  readonly #inFlight = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  #total = 0;

  constructor(limits: ConcurrencyLimits, clock: Clock, names: SettingNames) {
    this.#limits = limits;
    this.#clock = clock;
    this.#names = names;
  }

  /**
   * Runs an execution when a slot is free.
   * @throws {Refusal} `TooManyRequests` when no other execution ended in time.
   * @throws {Cancelled} when the caller has gone away.
   */
  async run<T>(host: string, caller: AbortSignal, execution: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(host)) this.#enter(host);
    else await this.#wait(host, caller);
    try {
      return await execution();
    } finally {
      this.#leave(host);
    }
  }

  #hasRoom(host: string): boolean {
    const { maxExecutions, maxExecutionsPerHost } = this.#limits;
    return this.#total < maxExecutions && (this.#inFlight.get(host) ?? 0) < maxExecutionsPerHost;
  }

  #enter(host: string): void {
    this.#inFlight.set(host, (this.#inFlight.get(host) ?? 0) + 1);
    this.#total += 1;
  }

  #leave(host: string): void {
    const left = (this.#inFlight.get(host) ?? 0) - 1;
    if (left > 0) this.#inFlight.set(host, left);
    else this.#inFlight.delete(host);
    this.#total -= 1;
    for (const waiter of this.#waiting) {
      if (!this.#hasRoom(waiter.host)) continue;
      this.#waiting.delete(waiter);
      this.#enter(waiter.host);
      waiter.proceed();
      return;
    }
  }

  async #wait(host: string, caller: AbortSignal): Promise<void> {
    const turn = (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const waiter = { host, proceed: resolve };
        this.#waiting.add(waiter);
        signal.addEventListener('abort', () => {
          // The waiter may have just been given a slot, which has to be returned.
          if (!this.#waiting.delete(waiter)) this.#leave(host);
        });
      });
    try {
      await withDeadline(turn, { clock: this.#clock, ms: this.#limits.maxWaitMs, caller });
    } catch (error) {
      throw error instanceof DeadlineExceeded ? this.#full(host) : error;
    }
  }

  #full(host: string): Refusal {
    const { maxExecutions, maxExecutionsPerHost, maxWaitMs } = this.#limits;
    const full =
      this.#total >= maxExecutions
        ? `${maxExecutions} executions (${this.#names.maxExecutions})`
        : `${maxExecutionsPerHost} executions for \`${host}\` (${this.#names.maxExecutionsPerHost})`;
    return new Refusal(
      'TooManyRequests',
      `Nothing was sent, because ${full} are in flight and none ended within ${maxWaitMs} ms; send the action again after \`retry-after\`.`,
    );
  }
}
