import type { HttpRetryRecord } from '@gatehouse/contracts';
import type { AttemptOptions } from '../attempt/attempt.ts';
import {
  type AttemptResult,
  retryAfterMs,
  type TransientFailure,
  transientFailure,
} from '../attempt/result.ts';
import type { Clock } from '../clock.ts';
import type { Authentication } from '../credentials/authentication.ts';
import { Cancelled } from '../errors.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import {
  decideRetry,
  RETRY_POLICY,
  type RetryDecision,
  type RetryEvent,
  type StopReason,
} from './retry-decision.ts';

export interface AttemptsDeps {
  readonly clock: Clock;
  readonly attemptTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** Aborts when the process is about to end, so that no further attempt is made. */
  readonly draining: AbortSignal;
}

/** How the attempts ended. */
type Ending =
  /** The last result, because another attempt could not help or might do harm. */
  | { readonly kind: 'final'; readonly result: AttemptResult }
  /** The last result, which another attempt might have improved. */
  | { readonly kind: 'exhausted' | 'draining' | 'out_of_time'; readonly result: AttemptResult }
  /** Each of several attempts ran out of time. */
  | { readonly kind: 'always_late'; readonly result: AttemptResult }
  /** The last attempt ran out of time, after an earlier one had failed with `result`. */
  | { readonly kind: 'late'; readonly result: AttemptResult; readonly message: string };

export type AttemptsReport = Ending & {
  readonly attempts: number;
  readonly history: readonly HttpRetryRecord[];
  /** `Retry-After` of the last response, whatever its status. */
  readonly retryAfterMs: number | undefined;
};

interface RetryContext {
  /** Aborts when the caller has gone away. */
  readonly signal: AbortSignal;
  readonly onRetry?: (event: RetryEvent) => void;
}

/** Attempts of an execution: the time left for them, their history, and the waits between them. */
export class Attempts {
  readonly #request: OutboundRequest;
  readonly #deps: AttemptsDeps;
  readonly #deadline: number;
  readonly #history: HttpRetryRecord[] = [];
  #count = 0;
  #started = 0;
  #last: AttemptResult | undefined;
  #lastBeforeTimeout: AttemptResult | undefined;
  #retryAfterMs: number | undefined;

  constructor(request: OutboundRequest, deps: AttemptsDeps) {
    this.#request = request;
    this.#deps = deps;
    this.#deadline = deps.clock.now() + deps.totalTimeoutMs;
  }

  /** Returns limits on work before the next attempt, such as getting a token. */
  timeLeft(caller: AbortSignal): { clock: Clock; ms: number; caller: AbortSignal } {
    const { clock } = this.#deps;
    return { clock, ms: Math.max(0, this.#deadline - clock.now()), caller };
  }

  /**
   * Begins an attempt. Returns undefined if waiting for the credential used up the time for a
   * retry.
   */
  begin(): Pick<AttemptOptions, 'number' | 'ms' | 'newConnection'> | undefined {
    const { clock, attemptTimeoutMs } = this.#deps;
    this.#started = clock.now();
    const left = this.#deadline - this.#started;
    if (left <= 0 && this.#count > 0) return undefined;
    this.#count += 1;
    const ms = Math.min(attemptTimeoutMs, Math.max(0, left));
    const newConnection = this.#history.at(-1)?.classification === 'connect';
    return { number: this.#count, ms, newConnection };
  }

  /** Reports the last result, because no time is left for another attempt. */
  outOfTime(): AttemptsReport {
    const [result, record] = [this.#last, this.#history.at(-1)];
    if (result === undefined) throw new Error('no attempt has ended');
    if (record !== undefined) record.delay_ms = 0;
    return this.#report(result, 'out_of_time');
  }

  /**
   * Records the result of an attempt, and decides whether another attempt may follow. If so, waits
   * until it is time for the next attempt. Otherwise, returns the report.
   * @throws {Cancelled} when the caller has gone away.
   */
  async waitToRetry(
    result: AttemptResult,
    authentication: Authentication,
    context: RetryContext,
  ): Promise<AttemptsReport | undefined> {
    this.#last = result;
    const now = this.#deps.clock.now();
    const durationMs = Math.round(now - this.#started);
    const failure = transientFailure(result);
    if (failure?.classification !== 'timeout') this.#lastBeforeTimeout = result;
    if ('response' in result)
      this.#retryAfterMs = retryAfterMs(result.response, this.#deps.clock.date());
    if (failure === undefined) {
      const refused = await this.#renewToken(result, authentication, context.signal);
      if (refused === undefined) return this.#report(result, 'settled');
      this.#record(refused, durationMs);
      this.#announce(refused, 0, context);
      return undefined;
    }
    const record = this.#record(failure, durationMs);
    const decision = this.#decide(result, this.#deadline - now);
    if (!decision.retry) return this.#report(result, decision.reason);
    this.#announce(failure, decision.delayMs, context);
    if (!(await this.#wait(decision.delayMs, context.signal)))
      return this.#report(result, 'draining');
    record.delay_ms = decision.delayMs;
    return undefined;
  }

  #record(failure: TransientFailure, duration_ms: number): HttpRetryRecord {
    const record = { attempt: this.#count, ...failure, delay_ms: 0, duration_ms };
    this.#history.push(record);
    return record;
  }

  #announce(failure: TransientFailure, delay_ms: number, { onRetry }: RetryContext): void {
    const { method, url } = this.#request;
    onRetry?.({ attempt: this.#count, ...failure, host: url.host, method, delay_ms });
  }

  #decide(result: AttemptResult, remainingMs: number): RetryDecision {
    return decideRetry(RETRY_POLICY, {
      method: this.#request.method,
      attempt: this.#count,
      retryAfterMs: 'response' in result ? (this.#retryAfterMs ?? 0) : 0,
      remainingMs,
      draining: this.#deps.draining.aborted,
    });
  }

  /**
   * Gets another token if the upstream refused the one that was sent. Then the next attempt follows
   * at once. Returns the upstream's refusal, or undefined if no further attempt may be made.
   */
  async #renewToken(
    result: AttemptResult,
    authentication: Authentication,
    caller: AbortSignal,
  ): Promise<TransientFailure | undefined> {
    if (!('response' in result) || !authentication.discardRefused(result.response))
      return undefined;
    const { methods, maxAttempts } = RETRY_POLICY;
    const mayRetry = methods.includes(this.#request.method) && this.#count < maxAttempts;
    if (!mayRetry || this.#deps.draining.aborted) return undefined;
    const isRenewed = await authentication.renew(this.timeLeft(caller));
    return isRenewed ? { classification: 'status', status: result.response.status } : undefined;
  }

  /** Returns false if draining begins during the wait. */
  async #wait(ms: number, caller: AbortSignal): Promise<boolean> {
    const { clock, draining } = this.#deps;
    try {
      await clock.wait(ms, AbortSignal.any([caller, draining]));
      return true;
    } catch {
      if (caller.aborted) throw new Cancelled();
      return false;
    }
  }

  #report(result: AttemptResult, reason: StopReason): AttemptsReport {
    const attempts = this.#count;
    const stats = { attempts, history: this.#history, retryAfterMs: this.#retryAfterMs };
    return { ...stats, ...this.#endingOf(result, reason) };
  }

  #endingOf(result: AttemptResult, reason: StopReason): Ending {
    if (reason === 'settled') return { kind: 'final', result };
    const isTimeout = 'fault' in result && result.fault.classification === 'timeout';
    if (reason !== 'out_of_time' || !isTimeout) return { kind: reason, result };
    const earlier = this.#lastBeforeTimeout;
    if (earlier !== undefined)
      return { kind: 'late', result: earlier, message: result.fault.message };
    return { kind: this.#count === 1 ? 'final' : 'always_late', result };
  }
}
