import type { AttemptOptions } from '../attempt/attempt.ts';
import type { AttemptResult } from '../attempt/result.ts';
import type { Clock, Deadline } from '../clock.ts';
import { Cancelled } from '../errors.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import type { ExecutionLimits } from '../limits.ts';
import { decide, type RetryEvent, type StopReason } from './decide.ts';
import {
  type AttemptsReport,
  type EndedAttempt,
  endedAttempt,
  lastRetryAfterMs,
  recordOf,
  reportOf,
} from './report.ts';

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

/** Records the attempts of an execution, and limits their time. */
export class Attempts {
  readonly #request: OutboundRequest;
  readonly #context: RetryContext;
  readonly #settings: AttemptsSettings;
  readonly #deadline: number;
  readonly #ended: EndedAttempt[] = [];
  #started = 0;
  #reason: StopReason = 'settled';
  #note: string | undefined;

  constructor(request: OutboundRequest, context: RetryContext, settings: AttemptsSettings) {
    this.#request = request;
    this.#context = context;
    this.#settings = settings;
    const { totalTimeoutMs } = settings.limits;
    const totalMs = Math.min(request.timeoutMs ?? totalTimeoutMs, totalTimeoutMs);
    this.#deadline = settings.clock.now() + totalMs;
  }

  get count(): number {
    return this.#ended.length;
  }

  /** Returns the time left for work between attempts, such as getting a token. */
  timeLeft(): Deadline {
    const { clock } = this.#settings;
    const ms = Math.max(0, this.#deadline - clock.now());
    return { clock, ms, caller: this.#context.signal };
  }

  begin(memory: AttemptOptions['memory']): AttemptOptions {
    const { limits, clock } = this.#settings;
    const { signal, observe } = this.#context;
    this.#announceRetry();
    this.#started = clock.now();
    const ms = Math.min(limits.attemptTimeoutMs, this.timeLeft().ms);
    const maxBytes = limits.maxResponseBytes;
    return { number: this.count + 1, ms, clock, signal, observe, maxBytes, memory };
  }

  /**
   * Records a result, and waits if another attempt is due. Returns false at the end.
   * @throws {Cancelled} when the caller has disconnected.
   */
  async again(result: AttemptResult, tokenRefused: boolean): Promise<boolean> {
    const { clock, draining } = this.#settings;
    const attempt = endedAttempt(result, clock.now() - this.#started, clock.date());
    this.#ended.push(attempt);
    const decision = decide({
      ...{ method: this.#request.method, attempt: this.count, tokenRefused },
      failure: attempt.failure,
      retryAfterMs: lastRetryAfterMs(this.#ended) ?? 0,
      remainingMs: this.#remainingMs(attempt),
      draining: draining.aborted,
    });
    if (!decision.again) {
      this.#reason = decision.reason;
      return false;
    }

    if (!(await this.#wait(decision.afterMs))) {
      this.#reason = 'draining';
      return false;
    }

    attempt.delayMs = decision.afterMs;
    return true;
  }

  /** Adds a reason to the report, for the log. */
  note(reason: string): void {
    this.#note = reason;
  }

  report(): AttemptsReport {
    const { method } = this.#request;
    return reportOf(this.#ended, { reason: this.#reason, note: this.#note, method });
  }

  /** Returns 0 if the attempt used up the total time, even if its timer fired slightly early. */
  #remainingMs({ failure }: EndedAttempt): number {
    const { limits, clock } = this.#settings;
    const hadAllTime = this.#deadline - this.#started <= limits.attemptTimeoutMs;
    if (failure?.classification === 'timeout' && hadAllTime) return 0;
    return this.#deadline - clock.now();
  }

  /** Returns false if the process starts to shut down during the wait. */
  async #wait(ms: number): Promise<boolean> {
    if (ms === 0) return true;
    const { signal } = this.#context;
    const { clock, draining } = this.#settings;
    try {
      await clock.wait(ms, AbortSignal.any([signal, draining]));
      return true;
    } catch {
      if (signal.aborted) throw new Cancelled();
      return false;
    }
  }

  #announceRetry(): void {
    const last = this.#ended.at(-1);
    if (last === undefined) return;
    const { duration_ms: _duration, ...known } = recordOf(last, this.count);
    const { method, url } = this.#request;
    this.#context.onRetry?.({ ...known, host: url.host, method });
  }
}
