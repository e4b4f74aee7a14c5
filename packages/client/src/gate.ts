import { unlessAborted } from './abort.ts';
import {
  type Asked,
  askPolicy,
  type Checkable,
  type CheckOptions,
  type Policy,
} from './ask-policy.ts';
import { GatehouseError } from './errors.ts';
import type { Failed, GateResult, NeedsApproval, Verdict } from './gate-result.ts';
import type { GatedAction } from './gated-action.ts';
import type { CallOptions } from './options.ts';
import { type GateExecutor, send, toFailure } from './send.ts';

export interface GateOptions {
  readonly policy: Policy;
  /** If the executor has `dryRun`, the gate does a dry run before it asks for approval. */
  readonly executor: GateExecutor;
}

/** `{ approval }` has a signed approval, for an executor that requires decisions of the policy. */
export type Approved = boolean | { readonly approval: string };

export interface RunOptions extends CheckOptions {
  /**
   * Asks a person about an action that needs approval. Only `true` and `{ approval }` approve.
   * `gated` is a frozen copy of the action to send. If the reason for approval changes while a
   * person decides, `approve` is called again. If `signal` is aborted while `approve` runs, `run`
   * rejects.
   */
  readonly approve?: (pending: NeedsApproval, gated: GatedAction) => Approved | Promise<Approved>;
  /**
   * Makes it safe to run the same action again, even in another process: see `ExecuteOptions`.
   * Default: a new key for each run, if the executor accepts keys.
   */
  readonly idempotencyKey?: string | undefined;
}

/**
 * `check` and `run` first copy the action, so changing the original later has no effect. If a call
 * to a service fails, `check` and `run` do not throw, but return a result with the reason.
 */
export interface Gate {
  /** Checks an action against the policy. If the action needs approval, also does a dry run. */
  check(gated: Checkable, options?: CheckOptions): Promise<Verdict>;
  /**
   * Executes an action if the policy allows it or a person approves it. After an approval, `run`
   * evaluates the policy again.
   * @throws {TypeError} if `approve` is not a function.
   * @throws any error from `approve`, or `signal.reason` if the caller aborts while `approve` runs.
   */
  run(gated: GatedAction, options?: RunOptions): Promise<GateResult>;
}

export function createGate({ policy, executor }: GateOptions): Gate {
  return {
    check: async (given, options) => {
      const { verdict, gated, call } = await askPolicy(policy, given, false, options);
      if (verdict.state !== 'needs_approval' || gated.action === undefined) return verdict;
      return await preview(executor, gated.action, verdict, call);
    },
    run: async (given, options = {}) => {
      checkApprove(options.approve);
      return await run({ policy, executor }, given, options);
    },
  };
}

/** Questions that one run asks at most if the reason for approval changes after each answer. */
const MAX_QUESTIONS = 3;

async function run(
  gate: GateOptions,
  action: GatedAction,
  { idempotencyKey, ...options }: RunOptions,
): Promise<GateResult> {
  const { verdict, approved, token, gated, call } = await decide(gate, action, options);
  if (verdict.state !== 'allowed' && !approved) return verdict;

  const sent = { ...call, decision: token, idempotencyKey };
  return await send(gate.executor, gated.action, verdict, sent);
}

interface Decided extends Asked<GatedAction> {
  /** True if `approve` returned `true`, and approval is all that the verdict requires. */
  readonly approved?: boolean;
}

/**
 * INVARIANT: after each approval, the policy decides again. The action is sent only if the last
 * decision allows it, or requires exactly the approval that `true` has just given. Only the policy
 * can say whether a signed approval applies.
 */
async function decide(
  { policy, executor }: GateOptions,
  action: GatedAction,
  { approve, ...options }: RunOptions,
): Promise<Decided> {
  let decided: Decided = await askPolicy(policy, action, true, options);
  let { approval } = options;
  for (let asked = 0; asked < MAX_QUESTIONS; asked++) {
    const { verdict, gated, call } = decided;
    if (verdict.state !== 'needs_approval' || approve === undefined) return decided;

    const pending = await preview(executor, gated.action, verdict, call);
    if (pending.state !== 'needs_approval') return { ...decided, verdict: pending };

    const answer = await unlessAborted(call.signal, async () => approve(pending, gated));
    if (!isApproved(answer)) return { ...decided, verdict: { ...pending, declined: true } };

    if (answer !== true) approval = answer.approval;
    decided = await askPolicy(policy, gated, true, { ...call, approval });
    if (isSame(decided.verdict, pending)) return { ...decided, approved: answer === true };
  }
  return decided;
}

const isSame = (verdict: Verdict, { digest }: NeedsApproval): boolean =>
  verdict.state === 'needs_approval' && verdict.digest === digest;

const isApproved = (answer: unknown): answer is Exclude<Approved, false> =>
  answer === true || typeof Object(answer).approval === 'string';

function checkApprove(approve: unknown): void {
  if (approve !== undefined && typeof approve !== 'function')
    throw new TypeError('`approve` must be a function.');
}

const NOT_ASKED = 'This was a dry run: nothing was sent, and no one was asked for approval.';

/** INVARIANT: if a dry run fails or says that nothing would be sent, no one is asked to approve. */
async function preview(
  executor: GateOptions['executor'],
  action: GatedAction['action'],
  pending: NeedsApproval,
  call: CallOptions,
): Promise<NeedsApproval | Failed> {
  if (executor.dryRun === undefined) return pending;
  try {
    const { would_send, message } = await executor.dryRun(action, call);
    if (would_send === true) return pending;
    throw new GatehouseError(message);
  } catch (error) {
    const failed = toFailure(error, pending);
    if (failed.state === 'refused') return failed;
    return { ...failed, reason: `${failed.reason} ${NOT_ASKED}`, maybeSent: false };
  }
}
