import type { HttpRetryRecord } from '@gatehouse/contracts';
import { type AttemptOptions, transientFailure } from '../attempt/attempt.ts';
import type { AttemptResult, ReceivedResponse, TransientFailure } from '../attempt/result.ts';
import type { Clock, Deadline } from '../clock.ts';
import type { Authentication } from '../credentials/authentication.ts';
import { Cancelled } from '../errors.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import {
  decideRetry,
  RETRY_POLICY,
  type RetryEvent,
  retryAfterMs,
  type StopReason,
} from './retry-decision.ts';

export interface AttemptsDeps {
  readonly clock: Clock;
  readonly attemptTimeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly draining: AbortSignal;
}

export interface AttemptsReport {
  readonly reason: StopReason;
  /** The last result. If the total time ran out, the last one that was not a timeout, if any. */
  readonly result: AttemptResult;
  /** Error message of the last attempt, set only if `result` is from an earlier attempt. */
  readonly lastMessage?: string;
  readonly attempts: number;
  readonly history: readonly HttpRetryRecord[];
  /** `Retry-After` from the last response, even if that response was a success. */
  readonly retryAfterMs: number | undefined;
}

export interface RetryContext {
  readonly signal: AbortSignal;
  readonly onRetry?: (event: RetryEvent) => void;
}

/** Tracks the attempts of an execution: time left, history, and waits between attempts. */
export class Attempts {
  readonly #request: OutboundRequest;
  readonly #deps: AttemptsDeps;
  readonly #deadline: number;
  readonly #history: HttpRetryRecord[] = [];
  #count = 0;
  #started = 0;
  /** True if the current attempt may run until the total time limit. */
  #hasAllTime = false;
  #lastNotTimeout: AttemptResult | undefined;
  #retryAfterMs: number | undefined;

  constructor(request: OutboundRequest, deps: AttemptsDeps) {
    this.#request = request;
    this.#deps = deps;
    this.#deadline = deps.clock.now() + deps.totalTimeoutMs;
  }

  /** Returns the time left for work between attempts, such as getting a token. */
  timeLeft(caller: AbortSignal): Deadline {
    const { clock } = this.#deps;
    return { clock, ms: Math.max(0, this.#deadline - clock.now()), caller };
  }

  begin(): Pick<AttemptOptions, 'number' | 'ms' | 'newConnection'> {
    const { clock, attemptTimeoutMs } = this.#deps;
    this.#started = clock.now();
    this.#count += 1;
    const left = Math.max(0, this.#deadline - this.#started);
    this.#hasAllTime = left <= attemptTimeoutMs;
    const ms = Math.min(attemptTimeoutMs, left);
    const newConnection = this.#history.at(-1)?.classification === 'connect';
    return { number: this.#count, ms, newConnection };
  }

  /**
   * Records the result of an attempt. The first case that applies decides what follows:
   * 1. The upstream refused the token, and a new one was issued: another attempt at once.
   * 2. The result is not a transient failure: the report, with the reason `settled`.
   * 3. `decideRetry` says to stop: the report, with the reason from `decideRetry`.
   * 4. The process starts to shut down during the wait: the report, with the reason `draining`.
   * 5. Otherwise: another attempt after the wait.
   * Returns the report, or undefined if another attempt is due.
   * @throws {Cancelled} when the caller has disconnected.
   */
  async reportOrWait(result: AttemptResult, authentication: Authentication, context: RetryContext) {
    const { clock, draining } = this.#deps;
    const now = clock.now();
    const durationMs = Math.round(now - this.#started);
    const response = 'response' in result ? result.response : undefined;
    const askedMs = response && retryAfterMs(response, clock.date());
    if (response !== undefined) this.#retryAfterMs = askedMs;
    if (response && (await this.#hasNewToken(response, authentication, context))) {
      const refused = { classification: 'status', status: response.status } as const;
      this.#lastNotTimeout = result;
      this.#record(refused, durationMs);
      this.#announce(refused, 0, context);
      return undefined;
    }
    const failure = transientFailure(result);
    const isTimeout = failure?.classification === 'timeout';
    if (!isTimeout) this.#lastNotTimeout = result;
    if (failure === undefined) return this.#report(result, 'settled');
    const record = this.#record(failure, durationMs);
    const decision = decideRetry({
      method: this.#request.method,
      attempt: this.#count,
      retryAfterMs: askedMs ?? 0,
      // When the total time runs out, report 0 ms left, even if the timer fired slightly early.
      remainingMs: isTimeout && this.#hasAllTime ? 0 : this.#deadline - now,
      draining: draining.aborted,
    });
    if (!decision.retry) return this.#report(result, decision.reason);
    this.#announce(failure, decision.delayMs, context);
    if (!(await this.#wait(decision.delayMs, context.signal)))
      return this.#report(result, 'draining');
    // Set the delay only now, because a shutdown can cut the wait short.
    record.delay_ms = decision.delayMs;
    return undefined;
  }

  #record(failure: TransientFailure, duration_ms: number) {
    const record = { attempt: this.#count, ...failure, delay_ms: 0, duration_ms };
    this.#history.push(record);
    return record;
  }

  #announce(failure: TransientFailure, delay_ms: number, { onRetry }: RetryContext): void {
    const { method, url } = this.#request;
    onRetry?.({ attempt: this.#count, ...failure, host: url.host, method, delay_ms });
  }

  /** Renews the token if the upstream refused it. Returns true if a new token was issued. */
  async #hasNewToken(
    response: ReceivedResponse,
    authentication: Authentication,
    { signal }: RetryContext,
  ): Promise<boolean> {
    if (!authentication.discardIfRefused(response)) return false;
    const { methods, maxAttempts } = RETRY_POLICY;
    const mayRetry = methods.includes(this.#request.method) && this.#count < maxAttempts;
    if (!mayRetry || this.#deps.draining.aborted) return false;
    return authentication.obtain(this.timeLeft(signal));
  }

  /** Returns false if the process starts to shut down during the wait. */
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

  /**
   * Reports the last result, with two exceptions after a timeout at the total time limit:
   * 1. If there was only one attempt, the reason is `settled`, so that its timeout is the failure.
   * 2. If an earlier attempt did not time out, reports that attempt, because it says more.
   */
  #report(result: AttemptResult, reason: StopReason): AttemptsReport {
    const attempts = this.#count;
    const stats = { attempts, history: this.#history, retryAfterMs: this.#retryAfterMs };
    const isTimeout = 'fault' in result && result.fault.classification === 'timeout';
    if (reason !== 'out_of_time' || !isTimeout) return { ...stats, reason, result };
    if (attempts === 1) return { ...stats, reason: 'settled', result };
    const earlier = this.#lastNotTimeout;
    if (earlier === undefined) return { ...stats, reason, result };
    return { ...stats, reason, result: earlier, lastMessage: result.fault.message };
  }
}
