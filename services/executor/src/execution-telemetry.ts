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
  loggerOf,
  type Request,
  type Telemetry,
  type TraceSpan,
  traceHeaders,
} from '@gatehouse/service';
import { ExecutionLog } from './execution-log.ts';
import { executionMetrics } from './execution-metrics.ts';

/** Telemetry event of spec `http-executor.md` section 6. */
const RETRY_EVENT = 'executor_http.retry';

export interface ExecutionWatch {
  readonly context: ExecutionContext;
  /** Undefined: the caller went away before there was an outcome. */
  executed(outcome: Outcome | undefined): void;
}

/** Logs, counts and traces executions. */
export function executionTelemetry({ metrics, tracing }: Telemetry, sandbox: Sandbox) {
  const count = executionMetrics(metrics, sandbox);
  return (request: Request, signal: AbortSignal): ExecutionWatch => {
    const span = tracing?.spanOf(request);
    const log = new ExecutionLog();
    let url: URL | undefined;
    const observe: Observer = (start) => {
      url = start.url;
      const attempt = span && attemptSpan(span, start);
      const ended = (end: AttemptEnd) => {
        count.attempted(start, end);
        log.attempted(start, end);
        if (attempt !== undefined) endAttempt(attempt, end);
      };
      return attempt === undefined ? { ended } : { ended, traceHeaders: attempt.headers() };
    };
    const onRetry = (event: RetryEvent) => {
      loggerOf(request).warn({ event: RETRY_EVENT, ...event }, RETRY_EVENT);
      if (url !== undefined) count.retried(event, url);
      span?.event(RETRY_EVENT, { ...event });
    };
    return {
      context: { signal, observe, onRetry, traceHeaders: traceHeaders(request) },
      executed: (outcome) => {
        count.executed(outcome);
        if (outcome === undefined) return;
        addLogFields(request, 'execution', log.fields(outcome));
        if (span !== undefined) describeOutcome(span, outcome);
      },
    };
  };
}

/** Semantic conventions for HTTP clients, without the query, which may hold secrets. */
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

function describeOutcome(span: TraceSpan, outcome: Outcome): void {
  span.set({ 'executor.outcome': outcome.outcome, 'executor.attempts': outcome.attempts });
  if (outcome.error !== undefined) span.fail(outcome.error);
}
