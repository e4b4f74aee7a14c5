import type { CheckResponse } from '@gatehouse/contracts';
import type { Executor } from './executor-client.ts';
import type { PlanResult, PlanStatus, PlanStep, StepResult, StepState } from './plan.ts';
import type { Policy } from './policy-client.ts';
import type { Call } from './post-json.ts';

export interface PlanDeps {
  readonly policy: Policy;
  readonly executor: Executor;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** For the log; the caller reads the step's `message`. */
  readonly onFailure: (stepId: string, error: unknown) => void;
}

/** Such a step stops the plan. */
const STOPPING: readonly StepState[] = ['denied', 'failed'];

/** Runs the steps in order until one stops the plan. Never rejects: an error is a failed step. */
export async function runPlan(
  steps: readonly PlanStep[],
  deps: PlanDeps,
  call: Call,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const step of steps) {
    const stopped = results.some(({ state }) => STOPPING.includes(state));
    results.push(stopped ? notReached(step) : await runStep(step, deps, call));
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

async function runStep(step: PlanStep, deps: PlanDeps, call: Call): Promise<StepResult> {
  const started = deps.now();
  const end = await decideAndRun(step, deps, call);
  return { ...named(step), ...end, duration_ms: Math.round(deps.now() - started) };
}

/**
 * INVARIANT: the executor is called in one place, and only an `allow` gets there:
 * 1. no answer from the policy: failed;
 * 2. deny: denied;
 * 3. anything else that is not an allow: awaiting approval;
 * 4. allow: executed or refused, as the executor says; without its answer, failed.
 */
async function decideAndRun(step: PlanStep, deps: PlanDeps, call: Call) {
  // All other members are the check, so a new section of the contract is sent along.
  const { id, title, action, ...check } = step;
  let verdict: Pick<StepResult, 'decision'> & Pick<CheckResponse, 'rules'> = {
    decision: null,
    rules: [],
  };
  try {
    verdict = await deps.policy(check, call);
    if (verdict.decision === 'deny') return { state: 'denied' as const, ...verdict };
    if (verdict.decision !== 'allow') return { state: 'awaiting_approval' as const, ...verdict };
    return { ...verdict, ...(await deps.executor(action, call)) };
  } catch (error) {
    deps.onFailure(id, error);
    return {
      state: 'failed' as const,
      ...verdict,
      message: error instanceof Error ? error.message : String(error),
    };
  }
}

function notReached(step: PlanStep): StepResult {
  return { ...named(step), state: 'not_reached', decision: null, rules: [], duration_ms: 0 };
}

function named({ id, title }: PlanStep): Pick<StepResult, 'id' | 'title'> {
  return title == null ? { id } : { id, title };
}
