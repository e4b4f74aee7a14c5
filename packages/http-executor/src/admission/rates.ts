import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { type Refusal, tooManyRequests } from '../errors.ts';
import type { Route } from '../guard/guard.ts';
import { failure, type Result, success } from '../result.ts';

const MS_PER_MINUTE = 60_000;

/** Maximum number of token buckets in memory. An evicted bucket is replaced with a full one. */
const MAX_BUCKETS = 100_000;

/** Token buckets for `per_minute`, one for each destination and caller. */
export class Rates {
  readonly #clock: Clock;
  /** Value of `#clock.now()` at which each bucket will be full again. */
  readonly #fullAt = new LRUCache<string, number>({ max: MAX_BUCKETS });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts an execution against `per_minute`. Returns a function that takes the count back. */
  count({ destination: { source }, caller }: Route): Result<() => void, Refusal> {
    const { per_minute: perMinute } = source;
    if (perMinute === undefined) return UNLIMITED;
    const key = JSON.stringify([caller ?? null, source]);
    const refillMs = MS_PER_MINUTE / perMinute;
    const now = this.#clock.now();
    const fullAt = Math.max(now, this.#fullAt.get(key) ?? 0);
    const waitMs = fullAt + refillMs - now - MS_PER_MINUTE;
    if (waitMs < 1) {
      this.#fullAt.set(key, fullAt + refillMs);
      return success(() => this.#fullAt.set(key, (this.#fullAt.get(key) ?? 0) - refillMs));
    }

    const seconds = Math.ceil(waitMs / 1_000);
    const reason = `you have reached the limit of the destination \`${source.host}\` (per_minute: ${perMinute}); send the action again in ${seconds} s`;
    return failure(tooManyRequests(reason, seconds));
  }
}

const UNLIMITED = success(() => {});
