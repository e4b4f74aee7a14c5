import { EXECUTOR_SETTINGS } from '@gatehouse/contracts';
import { type Clock, DeadlineExceeded, withDeadline } from '../clock.ts';
import { type Refusal, tooManyRequests } from '../errors.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import type { ExecutionLimits } from '../limits.ts';
import type { Memory } from './memory.ts';

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
  readonly #memory: Memory;
  readonly #clock: Clock;
  readonly #inFlight = new Map<string, number>();
  /** Maps the function that starts each waiting execution to the group of the execution. */
  readonly #waiting = new Map<() => void, Group>();
  #total = 0;

  constructor(limits: ExecutionLimits, memory: Memory, clock: Clock) {
    this.#limits = limits;
    this.#memory = memory;
    this.#clock = clock;
  }

  /**
   * Takes a slot, or waits for one. Returns a function that frees the slot.
   * @throws {Refusal} `TooManyRequests` when no slot became free in time.
   * @throws {Cancelled} when the caller has disconnected.
   */
  async enter(request: OutboundRequest, caller: AbortSignal): Promise<() => void> {
    const group = this.#groupOf(request);
    if (this.#hasRoom(group)) this.#take(group);
    else await this.#wait(group, caller);
    return () => this.#leave(group);
  }

  #groupOf({ url: { host }, route: { destination } }: OutboundRequest): Group {
    const { source } = destination;
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
    if (this.#memory.isExhausted)
      return tooManyRequests(
        `responses of other executions take all memory, and none became free within ${maxWaitMs} ms; send the action again later`,
      );
    const isFull = this.#total >= maxExecutions;
    const full = isFull ? `(${EXECUTOR_SETTINGS.maxExecutions}: ${maxExecutions})` : text;
    return tooManyRequests(
      `too many executions are in flight ${full} and no slot became free within ${maxWaitMs} ms; send the action again later`,
    );
  }
}
