import type { Clock } from '../clock.ts';
import type { Refusal } from '../errors.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import type { ExecutionLimits } from '../limits.ts';
import { Memory, type MemoryShare } from './memory.ts';
import { Rates } from './rates.ts';
import { Slots } from './slots.ts';

/** Share of the limits that an execution holds from its admission to its end. */
export interface Slot extends Disposable {
  readonly memory: MemoryShare;
  /** Takes back the count against `per_minute`, because nothing was sent. Returns the refusal. */
  refuse(refusal: Refusal): Refusal;
}

interface Caller {
  readonly signal: AbortSignal;
  /** Settles when the caller has received the outcome, which stays in memory until then. */
  readonly delivered?: Promise<unknown> | undefined;
}

/** Admits executions as long as there is a rate, a slot and memory for them. */
export class Admission {
  readonly #memory: Memory;
  readonly #rates: Rates;
  readonly #slots: Slots;

  constructor(limits: ExecutionLimits, clock: Clock) {
    this.#memory = new Memory(limits.maxBufferedBytes);
    this.#rates = new Rates(clock);
    this.#slots = new Slots(limits, this.#memory, clock);
  }

  /**
   * Admits an execution. Waits up to `maxWaitMs` for a slot and for memory.
   * @throws {Refusal} `TooManyRequests`
   * @throws {Cancelled} when the caller has disconnected.
   */
  async enter(request: OutboundRequest, { signal, delivered }: Caller): Promise<Slot> {
    // Check the rate first, so that an execution over the rate limit does not wait for a slot.
    const counted = this.#rates.count(request.route);
    if (!counted.ok) throw counted.reason;
    const leave = await this.#slots.enter(request, signal).catch((error) => {
      counted.value();
      throw error;
    });

    const memory = this.#memory.open();
    const free = () => {
      memory.release();
      leave();
    };
    return {
      memory,
      refuse: (refusal) => {
        counted.value();
        return refusal;
      },
      [Symbol.dispose]: () => {
        if (delivered === undefined) free();
        else void delivered.finally(free);
      },
    };
  }
}
