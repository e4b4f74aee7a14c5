import { hash } from 'node:crypto';
import { KEY_HEADER } from '@gatehouse/contracts';
import type { Outcome } from '@gatehouse/http-executor';
import { addLogFields, type ProblemReply, type Request } from '@gatehouse/service';
import { Counter, type Registry } from 'prom-client';

/** Values of the label `result` for problems. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ['KeyReused', 'reused'],
  ['KeyInProgress', 'in_progress'],
  ['StoreUnavailable', 'unavailable'],
]);

const RESULTS = ['new', 'replayed', 'unknown', ...REFUSALS.values()];

function resultOf({ replayed, error }: Outcome): string {
  if (error === 'OutcomeUnknown') return 'unknown';
  return replayed ? 'replayed' : 'new';
}

/** Number of characters of a hash that distinguish keys in the log. */
const HASH_CHARS = 12;

/** Counts executions with an idempotency key, and adds a hash of the key to their log lines. */
export function keyTelemetry(registry: Registry) {
  const count = new Counter({
    name: 'executor_idempotency_total',
    help: 'Executions with an idempotency key, by result.',
    labelNames: ['result'],
    registers: [registry],
  });
  // Prometheus sees the first of each result as an increase only if it has seen a 0 before.
  for (const result of RESULTS) count.inc({ result }, 0);
  const record = (request: Request, result: string | undefined, replayed?: true): void => {
    const key = request.headers[KEY_HEADER]?.toString();
    if (key === undefined) return;
    const key_hash = hash('sha256', key).slice(0, HASH_CHARS);
    addLogFields(request, 'request', { key_hash, replayed });
    if (result !== undefined) count.inc({ result });
  };
  return {
    refused: (request: Request, { code }: ProblemReply) => record(request, REFUSALS.get(code)),
    executed: (request: Request, outcome: Outcome) =>
      record(request, resultOf(outcome), outcome.replayed),
  };
}
