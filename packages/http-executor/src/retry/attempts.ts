import type { Classification, HttpRetryRecord, Method } from '@gatehouse/contracts';
import type { AttemptOptions } from '../attempt/attempt.ts';
import { type AttemptResult, transientFailure } from '../attempt/result.ts';
import type { Clock } from '../clock.ts';
import { Cancelled } from '../errors.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import { type LatestAttempt, retryAfterMs, type StopReason } from './retry-decision.ts';

/** The telemetry event `executor_http.retry` (`http-executor.md`, section 6). */
export interface RetryEvent {
  readonly attempt: number;
  readonly classification: Classification;
  readonly status?: number;
  readonly host: string;
  readonly method: Method;
  readonly delay_ms: number;
}

export interface AttemptsDeps {
  readonly clock: Clock;
  readonly attemptTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** Aborts when the process is about to end, so that no further attempt is made. */
  readonly draining: AbortSignal;
}

export interface AttemptsReport {
  /** Result of the last attempt, except if there is a `timeoutMessage`. */
  readonly result: AttemptResult;
  /**
   * Message of the last attempt, if that ran out of the total time after an earlier attempt had
   * failed differently. `result` is then the earlier one.
   */
  readonly timeoutMessage?: string;
  readonly attempts: number;
  readonly history: HttpRetryRecord[];
  readonly reason: StopReason;
  /** `Retry-After` of the last response, whatever its status. */
  readonly retryAfterMs: number | undefined;
}

export class Attempts {
  readonly #request: OutboundRequest;
  readonly #deps: AttemptsDeps;
  readonly #deadline: number;
  readonly #history: HttpRetryRecord[] = [];
  #count = 0;
  #started = 0;
  #lastBeforeTimeout: AttemptResult | undefined;
  #retryAfterMs: number | undefined;

  constructor(request: OutboundRequest, deps: AttemptsDeps) {
    this.#request = request;
    this.#deps = deps;
    this.#deadline = deps.clock.now() + deps.totalTimeoutMs;
  }

  begin(): Pick<AttemptOptions, 'number' | 'ms' | 'newConnection'> {
    const { clock, attemptTimeoutMs } = this.#deps;
    this.#count += 1;
    this.#started = clock.now();
    const ms = Math.min(attemptTimeoutMs, this.#deadline - this.#started);
    const newConnection = this.#history.at(-1)?.classification === 'connect';
    return { number: this.#count, ms, newConnection };
  }

  /** Records the result and returns the input of the retry decision. */
  end(result: AttemptResult): LatestAttempt {
    const { clock, draining } = this.#deps;
    const failure = transientFailure(result);
    const waitMs =
      'response' in result ? retryAfterMs(result.response.headers, clock.date()) : undefined;
    if ('response' in result) this.#retryAfterMs = waitMs;
    if (failure?.classification !== 'timeout') this.#lastBeforeTimeout = result;
    const now = clock.now();
    const duration_ms = Math.round(now - this.#started);
    if (failure !== undefined)
      this.#history.push({ attempt: this.#count, ...failure, delay_ms: 0, duration_ms });
    return {
      failure,
      method: this.#request.method,
      attempt: this.#count,
      retryAfterMs: waitMs ?? 0,
      remainingMs: this.#deadline - now,
      draining: draining.aborted,
    };
  }

  /**
   * Waits for the next attempt; returns false if draining begins meanwhile.
   * @throws {Cancelled} when the caller has gone away.
   */
  async wait(
    delay_ms: number,
    { signal, onRetry }: { signal: AbortSignal; onRetry?: (event: RetryEvent) => void },
  ): Promise<boolean> {
    const { method, url } = this.#request;
    const { clock, draining } = this.#deps;
    const failed = this.#history.at(-1);
    if (failed === undefined) return false;
    const { duration_ms: _, ...failure } = failed;
    onRetry?.({ ...failure, host: url.host, method, delay_ms });
    try {
      failed.delay_ms = delay_ms;
      await clock.wait(delay_ms, AbortSignal.any([signal, draining]));
      return true;
    } catch {
      if (signal.aborted) throw new Cancelled();
      // The process is draining, so no attempt follows, and the record must not show a wait.
      failed.delay_ms = 0;
      return false;
    }
  }

  report(result: AttemptResult, reason: StopReason): AttemptsReport {
    const history = this.#history;
    const retryAfterMs = this.#retryAfterMs;
    const report = { result, attempts: this.#count, history, reason, retryAfterMs };
    const earlier = this.#lastBeforeTimeout;
    if (reason !== 'out_of_time' || earlier === undefined || earlier === result) return report;
    if (!('fault' in result)) return report;
    return { ...report, result: earlier, timeoutMessage: result.fault.message };
  }
}
