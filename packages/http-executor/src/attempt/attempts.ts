import type { Classification, HttpRetryRecord, Method } from '@gatehouse/contracts';
import type { Clock } from '../clock.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import { describeEnd, type Observer } from '../observer.ts';
import { Cancelled } from '../refusal.ts';
import { type AttemptDeps, type AttemptResult, attempt } from './attempt.ts';
import { classify, decideRetry, type RetryPolicy, retryAfterMs } from './retry.ts';

/** The telemetry event `executor_http.retry` (spec `http-executor.md` section 6). */
export interface RetryEvent {
  /** The attempt that failed. */
  readonly attempt: number;
  readonly classification: Classification;
  readonly status?: number;
  readonly host: string;
  readonly method: Method;
  readonly delay_ms: number;
}

export interface AttemptsDeps extends AttemptDeps {
  readonly retry: RetryPolicy;
  readonly attemptTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** Aborts when no further attempt is to be waited for. */
  readonly draining: AbortSignal;
}

/** Who waits for an execution. */
export interface Caller {
  /** Aborts when the caller has gone away. */
  readonly signal: AbortSignal;
  readonly onRetry?: (event: RetryEvent) => void;
  readonly observe?: Observer;
  /** Headers for the upstream unless the action sets a `traceparent` itself. */
  readonly traceHeaders?: ReadonlyMap<string, string>;
}

/** How the attempts of one execution went. */
export interface AttemptsReport {
  /** The last result. */
  readonly result: AttemptResult;
  readonly attempts: number;
  /** The attempts that failed in a transient way. */
  readonly history: readonly HttpRetryRecord[];
  /**
   * Whether trying ended with this result, or because attempts or time were used up, or
   * the process is about to end.
   */
  readonly ended: 'settled' | 'exhausted' | 'out_of_time' | 'draining';
}

/**
 * Attempts a request until a result settles it, or the attempts or the total time are
 * used up.
 */
export async function attemptRepeatedly(
  request: OutboundRequest,
  deps: AttemptsDeps,
  caller: Caller,
): Promise<AttemptsReport> {
  const { signal, onRetry } = caller;
  const { clock, draining } = deps;
  const deadline = clock.now() + deps.totalTimeoutMs;
  const history: HttpRetryRecord[] = [];
  for (let number = 1; ; number++) {
    const started = clock.now();
    const ms = Math.min(deps.attemptTimeoutMs, deadline - started);
    const result = await watched(request, deps, caller, { number, ms });
    const failure = classify(result);
    if (failure === undefined) return { result, attempts: number, history, ended: 'settled' };

    const now = clock.now();
    const decision = decideRetry(deps.retry, {
      method: request.method,
      attempt: number,
      retryAfterMs: 'response' in result ? retryAfterMs(result.response.headers, clock.date()) : 0,
      remainingMs: deadline - now,
      draining: draining.aborted,
    });
    const delay_ms = decision.retry ? decision.delayMs : 0;
    const record = {
      attempt: number,
      ...failure,
      delay_ms,
      duration_ms: Math.round(now - started),
    };
    history.push(record);
    if (!decision.retry) return { result, attempts: number, history, ended: ENDINGS[decision.why] };

    onRetry?.({
      attempt: number,
      ...failure,
      host: request.url.host,
      method: request.method,
      delay_ms,
    });
    const waited = await wait(clock, delay_ms, signal, draining);
    if (waited) continue;
    // No attempt followed the wait, so that it is the last one's, which is 0.
    record.delay_ms = 0;
    return { result, attempts: number, history, ended: 'draining' };
  }
}

/** One attempt, with whoever observes it. */
async function watched(
  request: OutboundRequest,
  deps: AttemptsDeps,
  { signal, observe, traceHeaders }: Caller,
  { number, ms }: { number: number; ms: number },
): Promise<AttemptResult> {
  const { method, url } = request;
  const watch = observe?.({ attempt: number, method, url });
  const started = deps.clock.now();
  let result: AttemptResult | undefined;
  try {
    result = await attempt(traced(request, watch?.traceHeaders ?? traceHeaders), deps, {
      ms,
      caller: signal,
    });
    return result;
  } finally {
    watch?.ended(describeEnd(result, deps.clock.now() - started));
  }
}

/** Passes a trace context on; what the action sets itself stands. */
function traced(
  request: OutboundRequest,
  trace: ReadonlyMap<string, string> | undefined,
): OutboundRequest {
  if (trace === undefined || trace.size === 0 || request.headers.has('traceparent')) return request;
  return { ...request, headers: new Map([...trace, ...request.headers]) };
}

const ENDINGS = {
  method: 'settled',
  attempts: 'exhausted',
  time: 'out_of_time',
  draining: 'draining',
} as const;

/**
 * Whether the wait came to its end before draining began; rejects with `Cancelled` when
 * the caller has gone away.
 */
async function wait(
  clock: Clock,
  ms: number,
  caller: AbortSignal,
  draining: AbortSignal,
): Promise<boolean> {
  try {
    await clock.wait(ms, AbortSignal.any([caller, draining]));
    return true;
  } catch {
    if (caller.aborted) throw new Cancelled();
    return false;
  }
}
