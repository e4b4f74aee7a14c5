import { randomUUID } from 'node:crypto';
import type { CheckRequest, CheckResponse } from '@gatehouse/contracts';
import { unlessAborted } from './abort.ts';
import { decisionOf } from './answers.ts';
import { GatehouseError, gatehouseError, NoAnswerError, ProblemError } from './errors.ts';
import type { ExecutorClient } from './executor-client.ts';
import type {
  Allowed,
  Decided,
  Denied,
  Executed,
  GateResult,
  NeedsApproval,
  Refused,
  Unanswered,
  Verdict,
} from './gate-result.ts';
import { approvalDigest, frozenCopy, type GatedAction } from './gated-action.ts';
import type { CallOptions } from './options.ts';

/** A `PolicyClient`, or the engine in this process: `{ check: (request) => … }`. */
export interface Policy {
  check(request: CheckRequest, options: CallOptions): CheckResponse | Promise<CheckResponse>;
}

export interface GateOptions {
  readonly policy: Policy;
  /** If it has `dryRun`, no one is asked to approve what it would not send. */
  readonly executor: Pick<ExecutorClient, 'execute'> & Partial<Pick<ExecutorClient, 'dryRun'>>;
}

export interface RunOptions extends CallOptions {
  /**
   * Called when the action needs approval and the executor would send it. Only `true` approves.
   * `gated` is a frozen copy of what is sent then. If `signal` aborts first, `run` rejects.
   */
  readonly approve?: (pending: NeedsApproval, gated: GatedAction) => boolean | Promise<boolean>;
}

/** Argument of `check`: without an `action`, only the policy is asked. */
type Checkable = Pick<GatedAction, 'check'> & Partial<GatedAction>;

/** Both methods write the action as JSON when they are called; later changes have no effect. */
export interface Gate {
  /**
   * Checks without executing, to ask a person first; `run` checks again. What needs approval is
   * judged by the executor too, if there is an `action`. Never throws what a service does.
   */
  check(gated: Checkable, options?: CallOptions): Promise<Verdict>;
  /**
   * Checks an action, and executes it if it is allowed. Never throws what a service does.
   * @throws what `approve` throws, and the reason of `signal` if it aborts while `approve` runs.
   */
  run(gated: GatedAction, options?: RunOptions): Promise<GateResult>;
}

/** Checks first, executes only what is allowed. */
export function createGate({ policy, executor }: GateOptions): Gate {
  return {
    check: async (given, { requestId = randomUUID(), ...options } = {}) => {
      const call = { ...options, requestId };
      const { verdict, gated } = await judge(policy, given, call);
      if (verdict.state !== 'needs_approval' || gated.action === undefined) return verdict;
      return await preview(executor, gated.action, verdict, call);
    },
    run: async (given, { approve, requestId = randomUUID(), ...options } = {}) => {
      const call = { ...options, requestId };
      const { verdict, gated } = await judge(policy, given, call);
      if (verdict.state === 'denied') return verdict;
      if (verdict.state === 'needs_approval') {
        if (approve === undefined) return verdict;
        const previewed = await preview(executor, gated.action, verdict, call);
        if (previewed.state !== 'needs_approval') return previewed;
        const answer = await unlessAborted(call.signal, async () => approve(verdict, gated));
        if (answer !== true) return verdict;
      }
      return await execute(executor, gated.action, verdict, call);
    },
  };
}

type Call = CallOptions & { readonly requestId: string };

interface Judged<T> {
  readonly verdict: Denied | NeedsApproval | Allowed;
  /** The copy that was judged, and is the only one to use from here on. */
  readonly gated: T;
}

/** Asks the policy. INVARIANT: without a usable decision, the verdict is `denied`. */
async function judge<T extends Checkable>(
  policy: Policy,
  given: T,
  call: Call,
): Promise<Judged<T>> {
  const { requestId } = call;
  try {
    const gated = frozenCopy(given);
    const { check } = gated;
    const answer = await policy.check({ request_id: requestId, ...check }, call);
    const decided = decisionOf(answer, check);
    if (decided === undefined) throw new GatehouseError(NO_DECISION);
    return { verdict: verdictOf(decided, gated, requestId), gated };
  } catch (cause) {
    const error = gatehouseError(cause);
    const denied = { requestId, rules: [], reason: error.message, error };
    return { verdict: { state: 'denied', ...denied }, gated: given };
  }
}

const NO_DECISION =
  'The policy gave no decision: each rule has to answer once, and the strictest outcome decides.';

function verdictOf({ decision, rules }: CheckResponse, gated: Checkable, requestId: string) {
  const decided = { requestId, rules };
  if (decision === 'allow') return { state: 'allowed', ...decided } as const;
  const deciding = rules.filter(({ outcome }) => outcome === decision);
  const reason = deciding.map(({ rule, detail }) => `${rule}: ${detail}`).join('; ');
  if (decision === 'deny') return { state: 'denied', ...decided, reason } as const;
  const digest = approvalDigest(gated, reason);
  return { state: 'needs_approval', ...decided, reason, digest } as const;
}

const NOT_ASKED = 'This was a dry run: nothing was sent, and nobody was asked to approve it.';

/**
 * Returns what needs approval if the executor would send it. INVARIANT: a person is asked only
 * about what the executor said that it would send.
 */
async function preview(
  executor: GateOptions['executor'],
  action: GatedAction['action'],
  pending: NeedsApproval,
  call: Call,
): Promise<NeedsApproval | Refused | Unanswered> {
  if (executor.dryRun === undefined) return pending;
  try {
    const { would_send, message } = await executor.dryRun(action, call);
    if (would_send === true) return pending;
    throw new GatehouseError(message);
  } catch (error) {
    const failed = failureOf(error, pending);
    if (failed.state === 'refused') return failed;
    return { ...failed, reason: `${failed.reason} ${NOT_ASKED}`, maybeSent: false };
  }
}

async function execute(
  executor: GateOptions['executor'],
  action: GatedAction['action'],
  { requestId, rules }: Decided,
  call: Call,
): Promise<Executed | Refused | Unanswered> {
  try {
    const outcome = await executor.execute(action, call);
    return { state: 'executed', requestId, rules, outcome };
  } catch (error) {
    return failureOf(error, { requestId, rules });
  }
}

/** Interprets an error of the executor. @throws any error that is not one of ours */
function failureOf(error: unknown, { requestId, rules }: Decided): Refused | Unanswered {
  if (!(error instanceof GatehouseError)) throw error;
  const decided = { requestId, rules, reason: error.message };
  if (error instanceof ProblemError)
    return { state: 'refused', ...decided, problem: error.problem };
  const maybeSent = !(error instanceof NoAnswerError) || error.maybeReceived;
  return { state: 'unanswered', ...decided, error, maybeSent };
}
