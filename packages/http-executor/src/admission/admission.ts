import { LRUCache } from 'lru-cache';
import { type Clock, type Deadline, DeadlineExceeded, withDeadline } from '../clock.ts';
import { type Refusal, tooManyRequests } from '../errors.ts';
import type { OutboundRequest, Route } from '../guard/guard.ts';
import type { ExecutionLimits } from '../limits.ts';
import type { SettingNames } from '../sandbox.ts';
import { Memory, type MemoryShare } from './memory.ts';

/** Share of the limits that an execution holds from its admission to its end. */
interface Slot extends Disposable {
  readonly memory: MemoryShare;
  /** Takes back the count against `per_minute`, because nothing was sent. Returns the refusal. */
  refuse(refusal: Refusal): Refusal;
}

interface Caller {
  /** Settles when the caller has received the outcome, which stays in memory until then. */
  readonly delivered?: Promise<unknown> | undefined;
}

/** Executions that share a limit, because they go to the same host or destination. */
interface Group {
  readonly key: string;
  readonly limit: number;
  /** Text that names the limit, such as "for the destination `api.test` (max_executions: 5)". */
  readonly text: string;
}

/**
 * Admits executions as long as there is a rate, a slot and memory for them. Each group's
 * executions start in order of arrival.
 */
export class Admission {
  readonly #limits: ExecutionLimits;
  readonly #names: SettingNames;
  readonly #rates: Rates;
  readonly #memory: Memory;
  readonly #inFlight = new Map<string, number>();
  /** Maps the function that starts each waiting execution to the group of the execution. */
  readonly #waiting = new Map<() => void, Group>();
  #total = 0;

  constructor(limits: ExecutionLimits, clock: Clock, names: SettingNames) {
    this.#limits = limits;
    this.#names = names;
    this.#rates = new Rates(clock);
    this.#memory = new Memory(limits.maxBufferedBytes);
  }

  /**
   * Admits an execution. Waits up to `maxWaitMs` for a slot and for memory.
   * @throws {Refusal} `TooManyRequests`
   * @throws {Cancelled} when the caller has disconnected.
   */
  async enter(request: OutboundRequest, { delivered }: Caller, timeLeft: Deadline): Promise<Slot> {
    // Check the rate first, so that an execution over the rate limit does not wait for a slot.
    const uncount = this.#rates.count(request.route);
    const group = this.#groupOf(request);
    try {
      if (this.#hasRoom(group)) this.#take(group);
      else await this.#wait(group, timeLeft);
    } catch (error) {
      uncount();
      throw error;
    }

    const memory = this.#memory.open();
    const free = () => {
      memory.release();
      this.#leave(group);
    };
    return {
      memory,
      refuse: (refusal) => {
        uncount();
        return refusal;
      },
      [Symbol.dispose]: () => {
        if (delivered === undefined) return free();
        memory.finish();
        void delivered.finally(free);
      },
    };
  }

  #groupOf({ url: { host }, route: { destination } }: OutboundRequest): Group {
    const { source } = destination;
    const { max_executions: limit } = source;
    if (limit !== undefined) {
      const text = `for the destination \`${source.host}\` (max_executions: ${limit})`;
      return { key: JSON.stringify(source), limit, text };
    }
    const { maxExecutionsPerHost } = this.#limits;
    const text = `for \`${host}\` (${this.#names.maxExecutionsPerHost}: ${maxExecutionsPerHost})`;
    return { key: host, limit: maxExecutionsPerHost, text };
  }

  #hasRoom({ key, limit }: Group): boolean {
    if (this.#total >= this.#limits.maxExecutions || this.#memory.isExhausted) return false;
    return (this.#inFlight.get(key) ?? 0) < limit;
  }

  #take({ key }: Group): void {
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
      this.#take(group);
      start();
    }
  }

  async #wait(group: Group, timeLeft: Deadline): Promise<void> {
    const ms = Math.min(timeLeft.ms, this.#limits.maxWaitMs);
    const turn = (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        this.#waiting.set(resolve, group);
        signal.addEventListener('abort', () => {
          // If the execution got a slot just before the abort, free the slot.
          if (!this.#waiting.delete(resolve)) this.#leave(group);
        });
      });
    try {
      await withDeadline(turn, { ...timeLeft, ms });
    } catch (error) {
      throw error instanceof DeadlineExceeded ? this.#full(group, ms) : error;
    }
  }

  #full({ text }: Group, waitedMs: number): Refusal {
    const ms = Math.round(waitedMs);
    const { maxExecutions } = this.#limits;
    if (this.#memory.isExhausted)
      return tooManyRequests(
        `responses of other executions take all memory, and none became free within ${ms} ms; send the action again later`,
      );

    const isFull = this.#total >= maxExecutions;
    const full = isFull ? `(${this.#names.maxExecutions}: ${maxExecutions})` : text;
    return tooManyRequests(
      `too many executions are in flight ${full} and no slot became free within ${ms} ms; send the action again later`,
    );
  }
}

const MS_PER_MINUTE = 60_000;

/** Maximum number of token buckets in memory. An evicted bucket is replaced with a full one. */
const MAX_BUCKETS = 100_000;

/** Token buckets for `per_minute`, one for each destination and caller. */
class Rates {
  readonly #clock: Clock;
  /** Value of `#clock.now()` at which each bucket will be full again. */
  readonly #fullAt = new LRUCache<string, number>({ max: MAX_BUCKETS });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts an execution against `per_minute`. Returns a function that takes the count back.
   * @throws {Refusal} `TooManyRequests`
   */
  count({ destination: { source }, caller }: Route): () => void {
    const { per_minute: perMinute } = source;
    if (perMinute === undefined) return () => {};

    const key = JSON.stringify([caller ?? null, source]);
    const refillMs = MS_PER_MINUTE / perMinute;
    const now = this.#clock.now();
    const fullAt = Math.max(now, this.#fullAt.get(key) ?? 0);
    const waitMs = fullAt + refillMs - now - MS_PER_MINUTE;
    if (waitMs < 1) {
      this.#fullAt.set(key, fullAt + refillMs);
      return () => this.#fullAt.set(key, (this.#fullAt.get(key) ?? 0) - refillMs);
    }

    const seconds = Math.ceil(waitMs / 1_000);
    throw tooManyRequests(
      `you have reached the limit of the destination \`${source.host}\` (per_minute: ${perMinute}); send the action again in ${seconds} s`,
      seconds,
    );
  }
}
