import type { HttpRetryRecord } from '@gatehouse/contracts';
import type { AttemptOptions } from '../attempt/attempt.ts';
import { type AttemptResult, maybeDone, transientFailure } from '../attempt/result.ts';
import type { Clock, Deadline } from '../clock.ts';
import { Cancelled } from '../errors.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import type { ExecutionLimits } from '../limits.ts';
import { retryAfterMs } from '../retry-after.ts';
import { type Decision, decide, type RetryEvent, type StopReason } from './decide.ts';
import { type AttemptsReport, reportOf } from './report.ts';

export interface RetryContext extends Pick<AttemptOptions, 'observe'> {
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Called after the wait, when another attempt begins. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
}

interface AttemptsSettings {
  readonly limits: ExecutionLimits;
  readonly clock: Clock;
  /** Aborted when the process starts to shut down. */
  readonly draining: AbortSignal;
}

/** A failed attempt, and the decision to repeat it. */
type Repeated = Extract<Decision, { again: true }> & { readonly record: HttpRetryRecord };

/** Tracks the attempts of an execution: time left, history, and waits between attempts. */
export class Attempts {
  readonly #request: OutboundRequest;
  readonly #clock: Clock;
  readonly #limits: ExecutionLimits;
  readonly #deadline: number;
  readonly #draining: AbortSignal;
  readonly #context: RetryContext;
  readonly #history: HttpRetryRecord[] = [];
  #count = 0;
  #started = 0;
  /** True if the current attempt may run until the total time limit. */
  #hasAllTime = false;
  #last: AttemptResult | undefined;
  #lastNotTimeout: AttemptResult | undefined;
  #retryAfterMs: number | undefined;
  #reason: StopReason = 'settled';
  #repeated: Repeated | undefined;
  #maybeDone = false;
  #note: string | undefined;

  constructor(
    request: OutboundRequest,
    context: RetryContext,
    { limits, clock, draining }: AttemptsSettings,
  ) {
    this.#request = request;
    this.#limits = limits;
    this.#clock = clock;
    const { timeoutMs = limits.totalTimeoutMs } = request;
    this.#deadline = clock.now() + Math.min(timeoutMs, limits.totalTimeoutMs);
    this.#draining = draining;
    this.#context = context;
  }

  get count(): number {
    return this.#count;
  }

  /** Returns the time left for work between attempts, such as getting a token. */
  timeLeft(): Deadline {
    const ms = Math.max(0, this.#deadline - this.#clock.now());
    return { clock: this.#clock, ms, caller: this.#context.signal };
  }

  begin(memory: AttemptOptions['memory']): AttemptOptions {
    this.#recordRepetition();
    this.#started = this.#clock.now();
    this.#count += 1;
    const { attemptTimeoutMs, maxResponseBytes: maxBytes } = this.#limits;
    const left = Math.max(0, this.#deadline - this.#started);
    this.#hasAllTime = left <= attemptTimeoutMs;
    const { signal, observe } = this.#context;
    const ms = Math.min(attemptTimeoutMs, left);
    return { number: this.#count, ms, clock: this.#clock, signal, observe, maxBytes, memory };
  }

  /**
   * Records a result, and waits if another attempt is due. Returns false at the end.
   * @throws {Cancelled} when the caller has disconnected.
   */
  async again(result: AttemptResult, tokenRefused: boolean): Promise<boolean> {
    const record = this.#record(result);
    const failure = transientFailure(result);
    if (failure !== undefined) this.#history.push(record);
    const isTimeout = failure?.classification === 'timeout';
    if (!isTimeout) this.#lastNotTimeout = result;

    const decision = decide({
      ...{ method: this.#request.method, attempt: this.#count, failure, tokenRefused },
      retryAfterMs: this.#retryAfterMs ?? 0,
      // When the total time runs out, report 0 ms left, even if the timer fired slightly early.
      remainingMs: isTimeout && this.#hasAllTime ? 0 : this.#deadline - this.#clock.now(),
      draining: this.#draining.aborted,
    });
    if (!decision.again) {
      this.#reason = decision.reason;
      return false;
    }

    if (!(await this.#wait(decision.afterMs))) {
      this.#reason = 'draining';
      return false;
    }

    this.#repeated = { ...decision, record };
    this.#maybeDone ||= WRITES.has(this.#request.method) && maybeDone(result);
    return true;
  }

  /** Adds a reason to the report, for the log. */
  note(reason: string): void {
    this.#note = reason;
  }

  /** Returns false if the process starts to shut down during the wait. */
  async #wait(ms: number): Promise<boolean> {
    if (ms === 0) return true;
    const { signal } = this.#context;
    try {
      await this.#clock.wait(ms, AbortSignal.any([signal, this.#draining]));
      return true;
    } catch {
      if (signal.aborted) throw new Cancelled();
      return false;
    }
  }

  #record(result: AttemptResult): HttpRetryRecord {
    this.#last = result;
    const { outcome } = result;
    const response = 'response' in outcome ? outcome.response : undefined;
    if (response !== undefined)
      this.#retryAfterMs = retryAfterMs(response.headers, this.#clock.date());
    const { classification = 'status', status = response?.status } = transientFailure(result) ?? {};
    const duration_ms = Math.round(this.#clock.now() - this.#started);
    const known = status === undefined ? { classification } : { classification, status };
    return { attempt: this.#count, ...known, delay_ms: 0, duration_ms };
  }

  /** Completes and announces the record of the attempt that is now repeated. */
  #recordRepetition(): void {
    if (this.#repeated === undefined) return;
    const { record, afterMs, withNewToken } = this.#repeated;
    // Set the delay only now, because a shutdown can cut the wait short.
    record.delay_ms = afterMs;
    this.#repeated = undefined;
    // A 401 counts as a failed attempt only if a new token was issued.
    if (withNewToken) this.#history.push(record);
    const { duration_ms: _duration, ...known } = record;
    const { method, url } = this.#request;
    this.#context.onRetry?.({ ...known, host: url.host, method });
  }

  /** Reports the last result, or an earlier one that says more (`reportOf`). */
  report(): AttemptsReport {
    return reportOf(
      {
        ...{ reason: this.#reason, result: this.#last as AttemptResult, attempts: this.#count },
        ...{ history: this.#history, retryAfterMs: this.#retryAfterMs, maybeDone: this.#maybeDone },
        ...{ note: this.#note, lastMessage: undefined },
      },
      this.#lastNotTimeout,
    );
  }
}

/** The methods that are retried and change something. */
const WRITES: ReadonlySet<string> = new Set(['PUT', 'DELETE']);
