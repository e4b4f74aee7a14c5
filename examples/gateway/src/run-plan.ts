import { createHash } from 'node:crypto';
import type {
  CallOptions,
  ExecutorClient,
  Gate,
  NeedsApproval,
  RunOptions,
} from '@gatehouse/client';
import type { Approval, PlanStatus, PlanStep, StepResult } from './plan.ts';
import type { PlanRecord } from './plan-store.ts';

export interface Parts {
  readonly gate: Gate;
  readonly executor: Pick<ExecutorClient, 'acceptsKeys'>;
}

/**
 * Runs the steps of a plan in order, and returns all results. Service errors are not thrown.
 * INVARIANT: a step runs only if all steps that it depends on have succeeded. A step that was or
 * may have been sent runs again only under its idempotency key, so that it is sent once.
 */
export async function runPlan(
  { planId, steps, sent, waiting }: PlanRecord,
  { gate, executor }: Parts,
  call: CallOptions,
  approval?: Approval,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  waiting.clear();
  const isKeyed = await executor.acceptsKeys(call);
  for (const [at, step] of steps.entries()) {
    const blocker = needsOf(step, steps[at - 1]).find((id) => !hasSucceeded(id, results));
    const options = {
      ...{ ...call, ...(approval?.step === step.id && approvedBy(approval)) },
      ...(isKeyed && { idempotencyKey: keyOf(planId, step) }),
    };
    const run = () => (blocker ? notReached(blocker) : runStep(step, gate, options));
    const result = sent.get(step.id) ?? (await timed(step, run));
    if (result.state === 'executed' || (result.maybe_sent && !isKeyed)) sent.set(step.id, result);
    if (result.digest !== undefined) waiting.set(step.id, result.digest);
    results.push(result);
  }
  return results;
}

/** Returns the same key in every run of a step, even after a restart of the gateway. */
const keyOf = (planId: string, { id }: PlanStep): string =>
  createHash('sha256')
    .update(JSON.stringify([planId, id]))
    .digest('base64url');

/** Passes a signed approval to the policy. Without one, compares what the person has seen. */
const approvedBy = ({ approval, digest }: Approval): RunOptions =>
  approval == null
    ? { approve: (pending: NeedsApproval) => pending.digest === digest }
    : { approval };

/** Ids of the steps that must succeed first: by default, the previous step. */
const needsOf = ({ depends_on }: PlanStep, previous: PlanStep | undefined): readonly string[] =>
  depends_on ?? (previous === undefined ? [] : [previous.id]);

const hasSucceeded = (id: string, results: readonly StepResult[]): boolean =>
  results.find((result) => result.id === id)?.outcome?.outcome === 'success';

export function statusOf(steps: readonly StepResult[]): PlanStatus {
  const has = (wanted: StepResult['state']) => steps.some(({ state }) => state === wanted);
  const statuses = ['denied', 'failed', 'awaiting_approval'] as const;
  return statuses.find(has) ?? (has('not_reached') ? 'failed' : 'completed');
}

async function timed({ id, title }: PlanStep, run: () => End | Promise<End>): Promise<StepResult> {
  const started = performance.now();
  const end = await run();
  const duration_ms = Math.round(performance.now() - started);
  return { id, ...(title != null && { title }), ...end, duration_ms };
}

type End = Omit<StepResult, 'id' | 'title' | 'duration_ms'>;

const notReached = (blocker: string): End => ({
  ...{ state: 'not_reached', decision: null, rules: [] },
  message: `The step did not run, because the step \`${blocker}\` has not succeeded.`,
});

async function runStep(step: PlanStep, gate: Gate, options: RunOptions): Promise<End> {
  // Send all other members to the policy, including any that are added to `PlanStep` later. If your
  // application knows the user, set the user's `spend.user_limit_minor_units` here.
  const { id, title, depends_on, action, ...check } = step;
  const result = await gate.run({ check, action }, options);
  const rules = [...result.rules];
  const wasApproved = rules.some(({ outcome }) => outcome === 'require_approval');
  const decision = wasApproved ? 'require_approval' : 'allow';
  switch (result.state) {
    case 'executed':
      return {
        ...{ state: 'executed', decision, rules, outcome: result.outcome },
        ...(result.replayed && { replayed: true }),
      };
    case 'refused':
      return { state: 'refused', decision, rules, problem: result.problem };
    case 'unanswered': {
      const { reason: message, maybeSent: maybe_sent } = result;
      return { state: 'failed', decision, rules, message, maybe_sent };
    }
    case 'needs_approval': {
      const { digest, approvalRequest: request } = result;
      const waits = { state: 'awaiting_approval', decision, rules, digest } as const;
      return { ...waits, ...(request && { approval_request: request }) };
    }
    case 'denied':
      return result.error === undefined
        ? { state: 'denied', decision: 'deny', rules }
        : { state: 'failed', decision: null, rules, message: result.reason };
  }
}
