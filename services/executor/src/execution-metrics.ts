import type {
  AttemptEnd,
  AttemptStart,
  Outcome,
  RetryEvent,
  Sandbox,
} from '@gatehouse/http-executor';
import { DURATION_BUCKETS } from '@gatehouse/service';
import { Counter, Histogram, type Registry } from 'prom-client';

const MS_PER_S = 1_000;
const ATTEMPT_LABELS = ['method', 'host', 'classification', 'status_class'];

/** Returns `5xx` for 503, and no label without a status. */
const classOf = (status: number | undefined): { status_class?: string } =>
  status === undefined ? {} : { status_class: `${Math.floor(status / 100)}xx` };

/** Labels hosts by their allowlist entry, so that callers cannot invent label values. */
export function executionMetrics(registry: Registry, { allowlist }: Sandbox) {
  const hostOf = (url: URL) => allowlist.entryFor(url) ?? 'other';
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const attempts = counter(
    'executor_http_attempts_total',
    'Requests to upstreams, by result.',
    ATTEMPT_LABELS,
  );
  const retries = counter(
    'executor_http_retry_total',
    'Failed requests to upstreams that were retried.',
    ATTEMPT_LABELS,
  );
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
  const redactions = counter('executor_redactions_total', 'Echoed credentials that were redacted.');
  return {
    attempted: ({ method, url }: AttemptStart, end: AttemptEnd): void => {
      const { classification, status, duration_ms } = end;
      const host = hostOf(url);
      attempts.inc({ method, host, classification, ...classOf(status) });
      durations.observe({ method, host }, duration_ms / MS_PER_S);
    },
    retried: ({ method, classification, status }: RetryEvent, url: URL): void =>
      retries.inc({ method, host: hostOf(url), classification, ...classOf(status) }),
    /** Undefined: the caller disconnected before there was an outcome. */
    executed: (outcome: Outcome | undefined): void => {
      const { error } = outcome ?? {};
      executions.inc({ outcome: outcome?.outcome ?? 'cancelled', ...(error && { error }) });
      redactions.inc(outcome?.redactions ?? 0);
    },
  };
}
