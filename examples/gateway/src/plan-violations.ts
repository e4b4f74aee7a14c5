import type { Violation } from '@gatehouse/contracts';
import { validateCheckRequest } from '@gatehouse/policy-engine';
import type { Plan, PlanStep } from './plan.ts';

/** What a schema cannot say: ids are unique, and the policy takes each step's check. */
export function planViolations({ steps }: Plan): Violation[] {
  const firstIndexes = new Map<string, number>();
  return steps.flatMap((step, index) => {
    const first = firstIndexes.get(step.id);
    if (first === undefined) firstIndexes.set(step.id, index);
    const repeated = {
      pointer: `/steps/${index}/id`,
      message: `must differ from \`/steps/${first}/id\``,
    };
    return [...(first === undefined ? [] : [repeated]), ...checkViolations(step, index)];
  });
}

function checkViolations({ id, title, action, ...check }: PlanStep, index: number): Violation[] {
  const checked = validateCheckRequest(check);
  if (checked.ok) return [];
  return checked.violations.map(({ pointer, message }) => ({
    pointer: `/steps/${index}${pointer}`,
    message,
  }));
}
