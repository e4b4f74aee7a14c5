import type { CallOptions, Gate } from '@gatehouse/client';
import type { PlanStatus, PlanStep, StepResult } from './plan.ts';

/** Runs steps until one is denied or fails. Returns all results; service errors are not thrown. */
export async function runPlan(
  steps: readonly PlanStep[],
  gate: Gate,
  call: CallOptions,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  let stopped = false;
  for (const step of steps) {
    const started = performance.now();
    const end: End = stopped ? NOT_REACHED : await runStep(step, gate, call);
    const duration_ms = Math.round(performance.now() - started);
    const title = step.title == null ? {} : { title: step.title };
    results.push({ id: step.id, ...title, ...end, duration_ms });
    stopped ||= end.state === 'denied' || end.state === 'failed';
  }
  return results;
}

export function statusOf(steps: readonly StepResult[]): PlanStatus {
  const statuses = ['denied', 'failed', 'awaiting_approval'] as const;
  return statuses.find((status) => steps.some(({ state }) => state === status)) ?? 'completed';
}

type End = Omit<StepResult, 'id' | 'title' | 'duration_ms'>;

const NOT_REACHED: End = { state: 'not_reached', decision: null, rules: [] };

async function runStep(step: PlanStep, gate: Gate, call: CallOptions): Promise<End> {
  // Send all other members to the policy, including any that are added to `PlanStep` later.
  const { id, title, action, ...check } = step;
  const result = await gate.run({ check, action }, call);
  const rules = [...result.rules];
  switch (result.state) {
    case 'executed':
      return { state: 'executed', decision: 'allow', rules, outcome: result.outcome };
    case 'refused':
      return { state: 'refused', decision: 'allow', rules, problem: result.problem };
    case 'unanswered':
      return { state: 'failed', decision: 'allow', rules, message: result.reason };
    case 'needs_approval':
      return { state: 'awaiting_approval', decision: 'require_approval', rules };
    case 'denied':
      return result.error === undefined
        ? { state: 'denied', decision: 'deny', rules }
        : { state: 'failed', decision: null, rules, message: result.reason };
  }
}
