import { PROBLEM_CODES } from '@gatehouse/contracts';
import type { ProblemReply } from '@gatehouse/service';
import { Counter, type Registry } from 'prom-client';

const CODES = PROBLEM_CODES.filter((code) => code.startsWith('Decision'));

/** Counts executions that are refused because of their decision token. */
export function decisionTelemetry(registry: Registry) {
  const count = new Counter({
    name: 'executor_decisions_refused_total',
    help: 'Executions that were refused because of their decision token, by code.',
    labelNames: ['code'],
    registers: [registry],
  });
  for (const code of CODES) count.inc({ code }, 0);
  return {
    refused: ({ code }: ProblemReply): void => {
      if (CODES.includes(code)) count.inc({ code });
    },
  };
}
