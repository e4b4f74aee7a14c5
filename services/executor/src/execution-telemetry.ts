import {
  type AttemptEnd,
  type AttemptStart,
  type ExecutionContext,
  type Observer,
  type Outcome,
  portOf,
  type RetryEvent,
  type Sandbox,
} from '@gatehouse/http-executor';
import {
  addLogFields,
  type LogFields,
  type Request,
  requestLogger,
  type Telemetry,
  type TraceSpan,
  traceHeaders,
} from '@gatehouse/service';
import { executionMetrics } from './execution-metrics.ts';

/** Telemetry event of `http-executor.md`, section 6. */
export const RETRY_EVENT = 'executor_http.retry';

export interface ExecutionWatch {
  readonly context: ExecutionContext;
  /** Undefined: the caller disconnected before there was an outcome. */
  executed(outcome: Outcome | undefined): void;
}

/** Logs, counts and traces executions. */
export function executionTelemetry({ registry }: Telemetry, sandbox: Sandbox) {
  const count = executionMetrics(registry, sandbox);
  return (request: Request, signal: AbortSignal): ExecutionWatch => {
    const { span } = request;
    let sent: AttemptStart | undefined;
    const ends: AttemptEnd[] = [];
    const observe: Observer = (start) => {
      sent = start;
      const attempt = span && attemptSpan(span, start);
      return {
        ...(attempt && { traceHeaders: attempt.headers() }),
        ended: (end) => {
          count.attempted(start, end);
          ends.push(end);
          if (attempt !== undefined) endAttempt(attempt, end);
        },
      };
    };
    const onRetry = (event: RetryEvent) => {
      requestLogger(request).warn({ event: RETRY_EVENT, ...event }, RETRY_EVENT);
      if (sent !== undefined) count.retried(event, sent.url);
      span?.event(RETRY_EVENT, { ...event });
    };
    return {
      context: { signal, observe, onRetry, traceHeaders: traceHeaders(request) },
      executed: (outcome) => {
        count.executed(outcome);
        if (outcome === undefined) return;
        addLogFields(request, 'execution', fieldsOf(outcome, sent, ends));
        span?.set({ 'executor.outcome': outcome.outcome, 'executor.attempts': outcome.attempts });
        if (outcome.error !== undefined) span?.fail(outcome.error);
      },
    };
  };
}

/** Log fields of an execution, without the query of its URL. */
function fieldsOf(
  { outcome, error, status, attempts, redactions }: Outcome,
  sent: AttemptStart | undefined,
  ends: readonly AttemptEnd[],
): LogFields {
  const { method, url } = sent ?? {};
  const last = ends.at(-1);
  const upstream = { method, host: url?.host, path: url?.pathname };
  return {
    // An outcome with exhausted retries has no `status`, so use the last attempt's.
    upstream: { ...upstream, status: status ?? last?.status, bytes: last?.bytes ?? 0 },
    outcome,
    error,
    attempts,
    attempt_ms: ends.map(({ duration_ms }) => Math.round(duration_ms)),
    redactions: redactions > 0 ? redactions : undefined,
  };
}

/** Follows the HTTP client conventions, without the query, which may hold secrets. */
function attemptSpan(span: TraceSpan, { attempt, method, url }: AttemptStart): TraceSpan {
  return span.client(method, {
    'http.request.method': method,
    'server.address': url.hostname,
    'server.port': portOf(url),
    'url.full': `${url.origin}${url.pathname}`,
    ...(attempt > 1 ? { 'http.request.resend_count': attempt - 1 } : {}),
  });
}

function endAttempt(span: TraceSpan, { classification, status }: AttemptEnd): void {
  if (status !== undefined) span.set({ 'http.response.status_code': status });
  if (classification !== 'answered')
    span.fail(status === undefined ? classification : String(status));
  else if (status !== undefined && status >= 400) span.fail(String(status));
  span.end();
}
