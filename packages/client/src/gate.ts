import { randomUUID } from 'node:crypto';
import type { CheckRequest, CheckResponse } from '@gatehouse/contracts';
import { unlessAborted } from './abort.ts';
import { readDecision } from './answers.ts';
import { GatehouseError, gatehouseError, NoAnswerError, ProblemError } from './errors.ts';
import type { ExecutorClient } from './executor-client.ts';
import type { Decided, Denied, Failed, GateResult, NeedsApproval, Verdict } from './gate-result.ts';
import { approvalDigest, frozenCopy, type GatedAction } from './gated-action.ts';
import type { CallOptions } from './options.ts';

/** A `PolicyClient`, or an object whose `check` calls the policy engine in this process. */
export interface Policy {
  check(request: CheckRequest, options: CallOptions): CheckResponse | Promise<CheckResponse>;
}

export interface GateOptions {
  readonly policy: Policy;
  /** If the executor has `dryRun`, the gate does a dry run before it asks for approval. */
  readonly executor: Pick<ExecutorClient, 'execute'> & Partial<Pick<ExecutorClient, 'dryRun'>>;
}

export interface RunOptions extends CallOptions {
  /**
   * Asks a person about an action that needs approval. Only `true` approves. `gated` is a frozen
   * copy of the action to send. If the reason for approval changes while a person decides,
   * `approve` is called again. If `signal` is aborted while `approve` runs, `run` rejects.
   */
  readonly approve?: (pending: NeedsApproval, gated: GatedAction) => boolean | Promise<boolean>;
}

/** Argument of `check`. Without an `action`, `check` does not call the executor. */
type Checkable = Pick<GatedAction, 'check'> & Partial<GatedAction>;

/**
 * `check` and `run` first copy the action, so changing the original later has no effect. If a call
 * to a service fails, `check` and `run` do not throw, but return a result with the reason.
 */
export interface Gate {
  /** Checks an action against the policy. If the action needs approval, also does a dry run. */
  check(gated: Checkable, options?: CallOptions): Promise<Verdict>;
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

/**
 * INVARIANT: after each approval, the policy decides again. The action is sent only if the last
 * decision allows it, or requires exactly the approval that was just given.
 */
async function run(
  { policy, executor }: GateOptions,
  given: GatedAction,
  { approve, ...options }: RunOptions,
): Promise<GateResult> {
  let { verdict, gated, call } = await askPolicy(policy, given, true, options);
  for (let asked = 0; verdict.state === 'needs_approval'; asked++) {
    if (approve === undefined || asked === MAX_QUESTIONS) return verdict;

    const pending = verdict;
    const previewed = await preview(executor, gated.action, pending, call);
    if (previewed.state !== 'needs_approval') return previewed;

    const answer = await unlessAborted(call.signal, async () => approve(pending, gated));
    if (answer !== true) return { ...pending, declined: true };

    ({ verdict } = await askPolicy(policy, gated, true, call));
    if (verdict.state === 'needs_approval' && verdict.digest === pending.digest) break;
  }
  if (verdict.state === 'denied') return verdict;

  try {
    const outcome = await executor.execute(gated.action, call);
    return { state: 'executed', requestId: call.requestId, rules: verdict.rules, outcome };
  } catch (error) {
    return toFailure(error, verdict);
  }
}

function checkApprove(approve: unknown): void {
  if (approve !== undefined && typeof approve !== 'function')
    throw new TypeError('`approve` must be a function.');
}

/**
 * INVARIANT: without a usable decision, the verdict is `denied`. The policy, `approve` and the
 * executor all use the same frozen copy of the action and its check.
 */
async function askPolicy<T extends Checkable>(
  policy: Policy,
  given: T,
  needsAction: boolean,
  { requestId = randomUUID(), ...options }: CallOptions = {},
) {
  const call = { ...options, requestId };
  try {
    const gated = frozenCopy(given, needsAction);
    const { check } = gated;
    const answer = await policy.check({ request_id: requestId, ...check }, call);
    const decided = readDecision(answer, check);
    if (decided === undefined) throw new GatehouseError(NO_DECISION);

    return { verdict: toVerdict(decided, gated, requestId), gated, call };
  } catch (cause) {
    const error = gatehouseError(cause);
    const { message: reason, retryAfterMs } = error;
    const verdict: Denied = { state: 'denied', requestId, rules: [], reason, retryAfterMs, error };
    return { verdict, gated: given, call };
  }
}

const NO_DECISION =
  'The policy returned an invalid decision: every rule must have exactly one outcome, and the decision must be the strictest outcome.';

function toVerdict({ decision, rules }: CheckResponse, gated: Checkable, requestId: string) {
  const decided = { requestId, rules };
  if (decision === 'allow') return { state: 'allowed', ...decided } as const;
  const deciding = rules.filter(({ outcome }) => outcome === decision);
  const reason = deciding.map(({ rule, detail }) => `${rule}: ${detail}`).join(' ');
  if (decision === 'deny') return { state: 'denied', ...decided, reason } as const;
  const digest = approvalDigest(gated, reason);
  return { state: 'needs_approval', ...decided, reason, digest } as const;
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

/** Turns a `GatehouseError` into a result. Rethrows any other error. */
function toFailure(error: unknown, { requestId, rules }: Decided): Failed {
  if (!(error instanceof GatehouseError)) throw error;
  const { message: reason, retryAfterMs } = error;
  const decided = { requestId, rules, reason, retryAfterMs };
  if (error instanceof ProblemError)
    return { state: 'refused', ...decided, problem: error.problem };
  const maybeSent = !(error instanceof NoAnswerError) || error.maybeReceived;
  return { state: 'unanswered', ...decided, error, maybeSent };
}
