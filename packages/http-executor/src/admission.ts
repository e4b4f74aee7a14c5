import { EXECUTOR_SETTINGS } from '@gatehouse/contracts';
import { LRUCache } from 'lru-cache';
import { type Clock, DeadlineExceeded, withDeadline } from './clock.ts';
import { Refusal } from './errors.ts';
import type { OutboundRequest, Route } from './guard/guard.ts';
import type { ExecutionLimits } from './limits.ts';

/** Executions that share a limit, because they go to the same host or destination. */
interface Group {
  readonly key: string;
  readonly limit: number;
  /** Text that names the limit, such as "for the destination `api.test` (max_executions: 5)". */
  readonly text: string;
}

/** Limits concurrency in total and per group. Each group's executions start in order of arrival. */
export class Slots {
  readonly #limits: ExecutionLimits;
  readonly #clock: Clock;
  readonly #inFlight = new Map<string, number>();
  /** Maps the function that starts each waiting execution to the group of the execution. */
  readonly #waiting = new Map<() => void, Group>();
  #total = 0;

  constructor(limits: ExecutionLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * Waits for a free slot, then calls `execution`.
   * @throws {Refusal} `TooManyRequests` when no slot became free in time.
   * @throws {Cancelled} when the caller has disconnected.
   */
  async run<T>(
    { url, route }: Pick<OutboundRequest, 'url' | 'route'>,
    caller: AbortSignal,
    execution: () => Promise<T>,
  ): Promise<T> {
    const group = this.#groupOf(url, route);
    if (this.#hasRoom(group)) this.#enter(group);
    else await this.#wait(group, caller);
    try {
      return await execution();
    } finally {
      this.#leave(group);
    }
  }

  #groupOf({ host }: URL, { destination: { source } }: Route): Group {
    const { max_executions: limit } = source;
    if (limit !== undefined) {
      const text = `for the destination \`${source.host}\` (max_executions: ${limit})`;
      return { key: JSON.stringify(source), limit, text };
    }
    const { maxExecutionsPerHost } = this.#limits;
    const text = `for \`${host}\` (${EXECUTOR_SETTINGS.maxExecutionsPerHost}: ${maxExecutionsPerHost})`;
    return { key: host, limit: maxExecutionsPerHost, text };
  }

  #hasRoom({ key, limit }: Group): boolean {
    return this.#total < this.#limits.maxExecutions && (this.#inFlight.get(key) ?? 0) < limit;
  }

  #enter({ key }: Group): void {
    this.#inFlight.set(key, (this.#inFlight.get(key) ?? 0) + 1);
    this.#total += 1;
  }

  #leave({ key }: Group): void {
    const left = (this.#inFlight.get(key) ?? 0) - 1;
    if (left > 0) this.#inFlight.set(key, left);
    else this.#inFlight.delete(key);
    this.#total -= 1;
    for (const [start, group] of this.#waiting) {
      if (!this.#hasRoom(group)) continue;
      this.#waiting.delete(start);
      this.#enter(group);
      start();
      return;
    }
  }

  async #wait(group: Group, caller: AbortSignal): Promise<void> {
    const turn = (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        this.#waiting.set(resolve, group);
        signal.addEventListener('abort', () => {
          // If the execution got a slot just before the abort, free the slot.
          if (!this.#waiting.delete(resolve)) this.#leave(group);
        });
      });
    try {
      await withDeadline(turn, { clock: this.#clock, ms: this.#limits.maxWaitMs, caller });
    } catch (error) {
      throw error instanceof DeadlineExceeded ? this.#full(group) : error;
    }
  }

  #full({ text }: Group): Refusal {
    const { maxExecutions, maxWaitMs } = this.#limits;
    const isFull = this.#total >= maxExecutions;
    const full = isFull ? `(${EXECUTOR_SETTINGS.maxExecutions}: ${maxExecutions})` : text;
    return new Refusal(
      'TooManyRequests',
      `Nothing was sent, because too many executions are in flight ${full} and no slot became free within ${maxWaitMs} ms; send the action again later.`,
    );
  }
}

const MS_PER_MINUTE = 60_000;

/** Maximum number of token buckets in memory. An evicted bucket is replaced with a full one. */
const MAX_BUCKETS = 100_000;

/** Token buckets for `per_minute`, one for each destination and caller. */
export class RateLimits {
  readonly #clock: Clock;
  /** Value of `#clock.now()` at which each bucket will be full again. */
  readonly #fullAt = new LRUCache<string, number>({ max: MAX_BUCKETS });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `execution` and counts it against `per_minute`. @throws {Refusal} `TooManyRequests` */
  async run<T>({ destination, caller }: Route, execution: () => Promise<T>): Promise<T> {
    const { source } = destination;
    const { per_minute: perMinute } = source;
    if (perMinute === undefined) return execution();
    const key = JSON.stringify([caller ?? null, source]);
    const refillMs = MS_PER_MINUTE / perMinute;
    const now = this.#clock.now();
    const fullAt = Math.max(now, this.#fullAt.get(key) ?? 0);
    const waitMs = fullAt + refillMs - now - MS_PER_MINUTE;
    if (waitMs >= 1) {
      const seconds = Math.ceil(waitMs / 1_000);
      const detail = `Nothing was sent, because you have reached the limit of the destination \`${source.host}\` (per_minute: ${perMinute}); send the action again in ${seconds} s.`;
      throw new Refusal('TooManyRequests', detail, seconds);
    }
    this.#fullAt.set(key, fullAt + refillMs);
    try {
      return await execution();
    } catch (error) {
      if (error instanceof Refusal) this.#fullAt.set(key, (this.#fullAt.get(key) ?? 0) - refillMs);
      throw error;
    }
  }
}
