import type { Classification, HttpRetryRecord, Method } from '@gatehouse/contracts';
import type { Clock } from '../clock.ts';
import { Cancelled } from '../errors.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import { type AttemptDeps, type AttemptResult, attempt } from './attempt.ts';
import { describeEnd, type Observer } from './observer.ts';
import {
  classify,
  decideRetry,
  RETRY_POLICY,
  retryAfterMs,
  type StopReason,
} from './retry-decision.ts';

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

export interface RetryDeps extends AttemptDeps {
  readonly attemptTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** Aborts when the process is about to end: no further attempt is made. */
  readonly draining: AbortSignal;
}

export interface ExecutionContext {
  /** Aborts when the caller has gone away. */
  readonly signal: AbortSignal;
  readonly onRetry?: (event: RetryEvent) => void;
  readonly observe?: Observer;
  /** Headers for the upstream unless the action sets a `traceparent` itself. */
  readonly traceHeaders?: ReadonlyMap<string, string>;
}

export interface AttemptsReport {
  /** Of the last attempt, unless there is `late`. */
  readonly result: AttemptResult;
  /**
   * What the last attempt says, if it timed out and the total time is over: `result` is then
   * that of the latest attempt that failed in another way.
   */
  readonly late?: string;
  readonly attempts: number;
  /** The attempts that failed in a transient way. */
  readonly history: readonly HttpRetryRecord[];
  /** Why no further attempt was made. */
  readonly reason: StopReason;
  /** What the last answer asked for, whatever its status. */
  readonly retryAfterMs: number | undefined;
}

/**
 * `[ attempt → retry? ]*`: sends a request until its result is settled or no retry is left.
 * @throws {Cancelled} when the caller has gone away.
 */
export async function runAttempts(
  request: OutboundRequest,
  deps: RetryDeps,
  context: ExecutionContext,
): Promise<AttemptsReport> {
  const { clock, draining } = deps;
  const { method, url } = request;
  const deadline = clock.now() + deps.totalTimeoutMs;
  const history: HttpRetryRecord[] = [];
  let asked: number | undefined;
  let inTime: AttemptResult | undefined;
  for (let number = 1; ; number++) {
    const started = clock.now();
    const ms = Math.min(deps.attemptTimeoutMs, deadline - started);
    const afresh = history.at(-1)?.classification === 'connect';
    const result = await attemptObserved(request, deps, context, { number, ms, afresh });
    const wanted = wantedWait(result, clock);
    if ('response' in result) asked = wanted;
    const failure = classify(result);
    if (!isTimeout(result)) inTime = result;
    const stop = (reason: StopReason): AttemptsReport => {
      const report = { result, attempts: number, history, reason, retryAfterMs: asked };
      return withEarlierFailure(report, inTime);
    };
    if (failure === undefined) return stop('settled');

    const now = clock.now();
    const decision = decideRetry(RETRY_POLICY, {
      ...{ method, attempt: number, draining: draining.aborted, remainingMs: deadline - now },
      retryAfterMs: wanted ?? 0,
    });
    const delay_ms = decision.retry ? decision.delayMs : 0;
    const duration_ms = Math.round(now - started);
    const record = { attempt: number, ...failure, delay_ms, duration_ms };
    history.push(record);
    if (!decision.retry) return stop(decision.reason);

    context.onRetry?.({ attempt: number, ...failure, host: url.host, method, delay_ms });
    if (await waitedToRetry(clock, delay_ms, context.signal, draining)) continue;
    // No attempt followed this wait.
    record.delay_ms = 0;
    return stop('draining');
  }
}

function wantedWait(result: AttemptResult, clock: Clock): number | undefined {
  return 'response' in result ? retryAfterMs(result.response.headers, clock.date()) : undefined;
}

function isTimeout(result: AttemptResult): boolean {
  return 'fault' in result && result.fault.classification === 'timeout';
}

/** Shows the latest failure that is not a timeout, if the total time ran out after it. */
function withEarlierFailure(
  report: AttemptsReport,
  inTime: AttemptResult | undefined,
): AttemptsReport {
  const { result, reason } = report;
  if (reason !== 'out_of_time' || inTime === undefined || inTime === result) return report;
  if ('response' in result) return report;
  return { ...report, result: inTime, late: result.fault.message };
}

async function attemptObserved(
  request: OutboundRequest,
  deps: RetryDeps,
  { signal, observe, traceHeaders }: ExecutionContext,
  { number, ...options }: { number: number; ms: number; afresh: boolean },
): Promise<AttemptResult> {
  const { method, url } = request;
  const watch = observe?.({ attempt: number, method, url });
  const started = deps.clock.now();
  let result: AttemptResult | undefined;
  try {
    const traced = withTrace(request, watch?.traceHeaders ?? traceHeaders);
    result = await attempt(traced, deps, { ...options, caller: signal });
    return result;
  } finally {
    watch?.ended(describeEnd(result, deps.clock.now() - started));
  }
}

/** Adds a trace context; headers that the action sets take precedence. */
function withTrace(
  request: OutboundRequest,
  trace: ReadonlyMap<string, string> | undefined,
): OutboundRequest {
  if (trace === undefined || trace.size === 0 || request.headers.has('traceparent')) return request;
  return { ...request, headers: new Map([...trace, ...request.headers]) };
}

/** False when draining began during the wait; rejects with `Cancelled`. */
async function waitedToRetry(
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
