import type {
  AttemptEnd,
  AttemptStart,
  Outcome,
  RetryEvent,
  Sandbox,
} from '@gatehouse/http-executor';
import { DURATION_BUCKETS } from '@gatehouse/service';
import { Counter, Histogram, type Registry } from 'prom-client';

/** The host label is the allowlist's entry, so that callers cannot invent label values. */
export function executionMetrics(registry: Registry, { allowlist }: Sandbox) {
  const hostOf = (url: URL) => allowlist.entryFor(url) ?? 'other';
  const count = executionCounters(registry);
  return {
    attempted: ({ method, url }: AttemptStart, end: AttemptEnd): void => {
      const { classification, status, duration_ms } = end;
      const host = hostOf(url);
      count.attempts.inc({ method, host, classification, ...classOf(status) });
      count.attemptDurations.observe({ method, host }, duration_ms / MS_PER_S);
    },
    retried: ({ method, classification, status }: RetryEvent, url: URL): void =>
      count.retries.inc({ method, host: hostOf(url), classification, ...classOf(status) }),
    /** Undefined: the caller went away before there was an outcome. */
    executed: (outcome: Outcome | undefined): void => {
      const { error } = outcome ?? {};
      const labels = { outcome: outcome?.outcome ?? 'cancelled', ...(error && { error }) };
      count.executions.inc(labels);
      count.redactions.inc(outcome?.redactions ?? 0);
    },
  };
}

const MS_PER_S = 1_000;

/** 503 → `5xx`; no label without a status. */
function classOf(status: number | undefined): { status_class?: string } {
  return status === undefined ? {} : { status_class: `${Math.floor(status / 100)}xx` };
}

const ATTEMPT_LABELS = ['method', 'host', 'classification', 'status_class'];

function executionCounters(registry: Registry) {
  const registers = [registry];
  return {
    attempts: new Counter({
      name: 'executor_http_attempts_total',
      help: 'Requests to upstreams, by how they ended.',
      labelNames: ATTEMPT_LABELS,
      registers,
    }),
    retries: new Counter({
      name: 'executor_http_retry_total',
      help: 'Failed requests to upstreams that were tried again.',
      labelNames: ATTEMPT_LABELS,
      registers,
    }),
    attemptDurations: new Histogram({
      name: 'executor_http_attempt_duration_seconds',
      help: 'How long requests to upstreams took, from name resolution to the last byte.',
      labelNames: ['method', 'host'],
      buckets: DURATION_BUCKETS,
      registers,
    }),
    executions: new Counter({
      name: 'executor_executions_total',
      help: 'Executions, by their outcome, and the error of failures.',
      labelNames: ['outcome', 'error'],
      registers,
    }),
    redactions: new Counter({
      name: 'executor_redactions_total',
      help: 'Echoed credentials that were scrubbed.',
      registers,
    }),
  };
}
