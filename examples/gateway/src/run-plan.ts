import type { CallOptions, Gate } from '@gatehouse/client';
import type { PlanResult, PlanStatus, PlanStep, StepResult, StepState } from './plan.ts';

/** Such a step stops the plan. */
const STOPPING: readonly StepState[] = ['denied', 'failed'];

/** Runs the steps in order until one stops the plan. Never rejects: an error is a failed step. */
export async function runPlan(
  steps: readonly PlanStep[],
  gate: Gate,
  call: CallOptions,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const step of steps) {
    const stopped = results.some(({ state }) => STOPPING.includes(state));
    results.push(stopped ? notReached(step) : await runStep(step, gate, call));
  }
  return results;
}

/** The reply to a plan. */
export function planResult(planId: string, steps: StepResult[]): PlanResult {
  const waiting = steps.filter(({ state }) => state === 'awaiting_approval').map(({ id }) => id);
  return { plan_id: planId, status: statusOf(steps), steps, awaiting_approval: waiting };
}

function statusOf(steps: readonly StepResult[]): PlanStatus {
  for (const status of ['denied', 'failed', 'awaiting_approval'] as const) {
    if (steps.some(({ state }) => state === status)) return status;
  }
  return 'completed';
}

async function runStep(step: PlanStep, gate: Gate, call: CallOptions): Promise<StepResult> {
  const started = performance.now();
  const end = await endOf(step, gate, call);
  return { ...named(step), ...end, duration_ms: Math.round(performance.now() - started) };
}

type End = Omit<StepResult, 'id' | 'title' | 'duration_ms'>;

/** How a step ends. The gate executes what is allowed, and nothing else. */
async function endOf(step: PlanStep, gate: Gate, call: CallOptions): Promise<End> {
  // All other members are the check, so a new section of the contract is sent along.
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

function notReached(step: PlanStep): StepResult {
  return { ...named(step), state: 'not_reached', decision: null, rules: [], duration_ms: 0 };
}

function named({ id, title }: PlanStep): Pick<StepResult, 'id' | 'title'> {
  return title == null ? { id } : { id, title };
}
