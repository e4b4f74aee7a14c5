import { type ActionArguments, DECISION_HEADER, KEY_HEADER } from '@gatehouse/contracts';
import { portOf } from '@gatehouse/contracts/action';
import type {
  AttemptEnd,
  AttemptStart,
  Observer,
  Outcome,
  RetryEvent,
  Sender,
} from '@gatehouse/http-executor';
import {
  addLogFields,
  DURATION_BUCKETS,
  failSpan,
  type LogFields,
  openSpan,
  type ProblemReply,
  type Request,
  requestLogger,
  type Telemetry,
  type Tracing,
  traceHeaders,
} from '@gatehouse/service';
import { defaultTextMapSetter, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';
import { Counter, Histogram, type Registry } from 'prom-client';
import { decisionTelemetry } from './decision-telemetry.ts';
import { keyTelemetry } from './key-telemetry.ts';

/** Telemetry event for a retry (`http-executor.md`, section 6). */
export const RETRY_EVENT = 'executor_http.retry';

export function executionTelemetry({ registry, tracing }: Telemetry) {
  const count = executionMetrics(registry);
  const keys = keyTelemetry(registry);
  const decisions = decisionTelemetry(registry);
  return (request: Request, signal: AbortSignal) => {
    const { span } = request;
    let sent: AttemptStart | undefined;
    const ends: AttemptEnd[] = [];
    const observe: Observer = (start) => {
      sent = start;
      const attempt = tracing && span && attemptSpan(tracing, span, start);
      return {
        traceHeaders: attempt?.headers ?? traceHeaders(request),
        ended: (end) => {
          count.attempted(start, end);
          ends.push(end);
          if (attempt !== undefined) endAttempt(attempt.span, end);
        },
      };
    };
    const onRetry = (event: RetryEvent) => {
      requestLogger(request).warn({ event: RETRY_EVENT, ...event }, RETRY_EVENT);
      if (sent !== undefined) count.retried(event, sent);
      openSpan(request)?.addEvent(RETRY_EVENT, { ...event });
    };
    return {
      context: { signal, observe, onRetry, ...senderOf(request) },
      refused: (problem: ProblemReply): ProblemReply => {
        keys.refused(request, problem);
        decisions.refused(problem);
        return problem;
      },
      /** `outcome` is undefined if the caller disconnected before there was an outcome. */
      executed: (outcome: Outcome | undefined): void => {
        count.executed(outcome);
        if (outcome === undefined) return;

        keys.executed(request, outcome);
        addLogFields(request, 'execution', fieldsOf(outcome, request.body, ends));
        if (signal.aborted)
          requestLogger(request).warn(request.added?.fields, 'execution ended without its caller');
        traceOutcome(openSpan(request), outcome);
      },
    };
  };
}

/** Returns who sends the action, and the headers that bind it. Node joins repeated headers. */
function senderOf(request: Request): Sender {
  const { caller, headers } = request;
  const header = (name: string) => headers[name]?.toString();
  return {
    ...{ caller, decision: header(DECISION_HEADER), key: header(KEY_HEADER) },
    onDecision: ({ jti }) => addLogFields(request, 'execution', { jti }),
  };
}

/** Returns the log fields of an execution. Uses its action, because a replay has no attempt. */
function fieldsOf(
  { outcome, error, status, attempts, redactions, reason }: Outcome,
  action: unknown,
  ends: readonly AttemptEnd[],
): LogFields {
  const last = ends.at(-1);
  const upstream = Object(upstreamFields(action).upstream);
  return {
    // If retries are exhausted, the outcome has no `status`, so use the status of the last attempt.
    upstream: { ...upstream, status: status ?? last?.status, bytes: last?.bytes ?? 0 },
    outcome,
    error,
    attempts,
    attempt_ms: ends.map(({ duration_ms }) => Math.round(duration_ms)),
    redactions: redactions > 0 ? redactions : undefined,
    reason,
  };
}

/** Returns the log fields of an action. Leaves out the URL's query. */
export function upstreamFields(action: unknown): LogFields {
  const { method, url } = Object(action) as Partial<ActionArguments>;
  if (typeof method !== 'string' || typeof url !== 'string') return {};
  const { host, pathname } = URL.parse(url) ?? {};
  return { upstream: { method: method.toUpperCase(), host, path: pathname } };
}

function traceOutcome(span: Span | undefined, { outcome, attempts, error }: Outcome): void {
  span?.setAttributes({ 'executor.outcome': outcome, 'executor.attempts': attempts });
  if (span !== undefined && error !== undefined) failSpan(span, error);
}

/**
 * Starts a client span without the URL's query, because a query may hold secrets. Returns the trace
 * headers that make the upstream's span a child of the client span.
 */
function attemptSpan({ tracer, propagator }: Tracing, parent: Span, start: AttemptStart) {
  const { attempt, method, url } = start;
  const attributes = {
    'http.request.method': method,
    'server.address': url.hostname,
    'server.port': portOf(url),
    'url.full': `${url.origin}${url.pathname}`,
    ...(attempt > 1 ? { 'http.request.resend_count': attempt - 1 } : {}),
  };
  const options = { kind: SpanKind.CLIENT, attributes };
  const span = tracer.startSpan(method, options, trace.setSpan(ROOT_CONTEXT, parent));
  const headers: Record<string, string> = {};
  propagator.inject(trace.setSpan(ROOT_CONTEXT, span), headers, defaultTextMapSetter);
  return { span, headers: new Map(Object.entries(headers)) };
}

function endAttempt(span: Span, { classification, status }: AttemptEnd): void {
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  const isFailed = classification !== 'answered' || (status ?? 0) >= 400;
  if (isFailed) failSpan(span, String(status ?? classification));
  span.end();
}

const ATTEMPT_LABELS = ['method', 'host', 'classification', 'status_class'];

/** Returns the label for a status, such as `5xx` for 503, or no label if `status` is undefined. */
const classOf = (status: number | undefined): { status_class?: string } =>
  status === undefined ? {} : { status_class: `${Math.floor(status / 100)}xx` };

/** Creates metrics. Only hosts from the operator's configuration are used as `host` labels. */
function executionMetrics(registry: Registry) {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const requests = (name: string, help: string) => counter(name, help, ATTEMPT_LABELS);
  const attempts = requests('executor_http_attempts_total', 'Requests to upstreams, by result.');
  const retries = requests('executor_http_retry_total', 'Retries of failed requests to upstreams.');
  const durations = new Histogram({
    name: 'executor_http_attempt_duration_seconds',
    help: 'Duration of requests to upstreams, from name resolution to the last byte.',
    labelNames: ['method', 'host'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const executions = counter(
    'executor_executions_total',
    'Executions, by outcome and, for failures, by error.',
    ['outcome', 'error'],
  );
  const redactions = counter('executor_redactions_total', 'Credentials redacted from responses.');
  return {
    attempted: ({ method, listedHost: host }: AttemptStart, end: AttemptEnd): void => {
      const { classification, status, duration_ms } = end;
      attempts.inc({ method, host, classification, ...classOf(status) });
      durations.observe({ method, host }, duration_ms / 1_000);
    },
    retried: ({ method, classification, status }: RetryEvent, { listedHost: host }: AttemptStart) =>
      retries.inc({ method, host, classification, ...classOf(status) }),
    executed: (outcome: Outcome | undefined): void => {
      const { error } = outcome ?? {};
      executions.inc({ outcome: outcome?.outcome ?? 'cancelled', ...(error && { error }) });
      redactions.inc(outcome?.redactions ?? 0);
    },
  };
}
