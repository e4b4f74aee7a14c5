import { PROBLEM_CODES, type ProblemCode } from '@gatehouse/contracts';
import type { Metrics } from './metrics.ts';

export function problemCounter(metrics: Metrics): (code: ProblemCode) => void {
  const problems = metrics.counter({
    name: 'problems',
    unit: '{problem}',
    help: 'Requests that were answered with a problem, by its code.',
    labels: ['code'],
  });
  const byCode = new Map(PROBLEM_CODES.map((code) => [code, problems.with(code)]));
  return (code) => byCode.get(code)?.add();
}
