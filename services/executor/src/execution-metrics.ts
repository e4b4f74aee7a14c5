import type {
  AttemptEnd,
  AttemptStart,
  Outcome,
  RetryEvent,
  Sandbox,
} from '@gatehouse/http-executor';
import type { Metrics } from '@gatehouse/service';

/** The host label is the allowlist's entry, so that callers cannot make up any number of them. */
export function executionMetrics(metrics: Metrics, { allowlist }: Sandbox) {
  const hostOf = (url: URL) => allowlist.entryFor(url) ?? 'other';
  const count = executionCounters(metrics);
  return {
    attempted: ({ method, url }: AttemptStart, end: AttemptEnd): void => {
      const { classification, status, duration_ms } = end;
      const host = hostOf(url);
      count.attempts.with(method, host, classification, statusClass(status)).add();
      count.attemptDurations.with(method, host).observe(duration_ms / MS_PER_S);
    },
    retried: ({ method, classification, status }: RetryEvent, url: URL): void =>
      count.retries.with(method, hostOf(url), classification, statusClass(status)).add(),
    /** Undefined: the caller went away before there was an outcome. */
    executed: (outcome: Outcome | undefined): void => {
      count.executions.with(outcome?.outcome ?? 'cancelled', outcome?.error).add();
      count.redactions.add(outcome?.redactions ?? 0);
    },
  };
}

const MS_PER_S = 1_000;

/** 503 → `5xx` */
function statusClass(status: number | undefined): string | undefined {
  return status === undefined ? undefined : `${Math.floor(status / 100)}xx`;
}

const ATTEMPT_LABELS = ['method', 'host', 'classification', 'status_class'];

function executionCounters(metrics: Metrics) {
  return {
    attempts: metrics.counter({
      name: 'executor_http.attempts',
      unit: '{attempt}',
      help: 'Requests to upstreams, by how they ended.',
      labels: ATTEMPT_LABELS,
    }),
    retries: metrics.counter({
      name: 'executor_http.retry',
      unit: '{retry}',
      help: 'Failed requests to upstreams that were tried again.',
      labels: ATTEMPT_LABELS,
    }),
    attemptDurations: metrics.durations({
      name: 'executor_http.attempt.duration',
      help: 'How long requests to upstreams took, from name resolution to the last byte.',
      labels: ['method', 'host'],
    }),
    executions: metrics.counter({
      name: 'executor.executions',
      unit: '{execution}',
      help: 'Executions, by their outcome, and the error of failures.',
      labels: ['outcome', 'error'],
    }),
    redactions: metrics
      .counter({
        name: 'executor.redactions',
        unit: '{redaction}',
        help: 'Echoed credentials that were scrubbed.',
      })
      .with(),
  };
}
