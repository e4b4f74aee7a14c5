import { randomUUID } from 'node:crypto';
import type {
  ActionArguments,
  CheckRequest,
  CheckResponse,
  RuleDecision,
} from '@gatehouse/contracts';
import { decisionOf } from './answers.ts';
import { GatehouseError, gatehouseError, NoAnswerError, ProblemError } from './errors.ts';
import type { ExecutorClient } from './executor-client.ts';
import type {
  Allowed,
  Denied,
  Executed,
  GateResult,
  Judged,
  NeedsApproval,
  Refused,
  Unanswered,
  Verdict,
} from './gate-result.ts';
import type { CallOptions } from './options.ts';

/** A `PolicyClient`, or the engine in this process: `{ check: (request) => … }`. */
export interface Policy {
  check(request: CheckRequest, options: CallOptions): CheckResponse | Promise<CheckResponse>;
}

export interface GateOptions {
  readonly policy: Policy;
  /** With `dryRun`, nobody is asked to approve what it would not send. */
  readonly executor: Pick<ExecutorClient, 'execute'> & Partial<Pick<ExecutorClient, 'dryRun'>>;
}

/** An action, and what it would spend and touch. */
export interface GatedAction {
  readonly check: CheckRequest;
  readonly action: ActionArguments;
}

export interface RunOptions extends CallOptions {
  /**
   * Asked when the action needs approval, and the executor would send it; anything but `true`
   * leaves it so.
   */
  readonly approve?: (pending: NeedsApproval) => boolean | Promise<boolean>;
}

export interface Gate {
  /**
   * Checks without executing, to ask a person first; `run` checks again. What needs approval is
   * judged by the executor too, if there is an `action`. Never throws what a service does.
   */
  check(
    gated: Pick<GatedAction, 'check'> & Partial<GatedAction>,
    options?: CallOptions,
  ): Promise<Verdict>;
  /** Checks an action, and executes it if it is allowed. Never throws what a service does. */
  run(gated: GatedAction, options?: RunOptions): Promise<GateResult>;
}

/** Checks first, executes only what is allowed. */
export function createGate({ policy, executor }: GateOptions): Gate {
  return {
    check: async ({ check, action }, { requestId = randomUUID(), ...more } = {}) => {
      const call = { ...more, requestId };
      const verdict = await judge(policy, check, call);
      const mayAsk = verdict.state === 'needs_approval' && action !== undefined;
      return mayAsk ? await previewed(executor, action, verdict, call) : verdict;
    },
    run: async ({ check, action }, { approve, requestId = randomUUID(), ...more } = {}) => {
      const call = { ...more, requestId };
      const verdict = await judge(policy, check, call);
      if (verdict.state === 'denied') return verdict;
      if (verdict.state === 'needs_approval') {
        if (approve === undefined) return verdict;
        const asked = await previewed(executor, action, verdict, call);
        if (asked.state !== 'needs_approval' || (await approve(asked)) !== true) return asked;
      }
      return await execute(executor, action, verdict.rules, call);
    },
  };
}

type Call = CallOptions & { readonly requestId: string };

/**
 * INVARIANT: anything but a well-formed `allow` or `require_approval` is denied:
 * 1. no usable answer; 2. deny; 3. require_approval; 4. allow.
 */
async function judge(
  policy: Policy,
  check: CheckRequest,
  call: Call,
): Promise<Denied | NeedsApproval | Allowed> {
  const { requestId } = call;
  let answer: CheckResponse | undefined;
  try {
    answer = decisionOf(await policy.check({ request_id: requestId, ...check }, call));
    if (answer === undefined) throw new GatehouseError('The policy gave no decision.');
  } catch (cause) {
    const error = gatehouseError(cause);
    return { state: 'denied', requestId, rules: [], reason: error.message, error };
  }
  const { decision, rules } = answer;
  const reason = reasonOf(answer);
  if (decision === 'deny') return { state: 'denied', requestId, rules, reason };
  if (decision !== 'allow') return { state: 'needs_approval', requestId, rules, reason };
  return { state: 'allowed', requestId, rules };
}

/** The details of the rules that decided. */
function reasonOf({ decision, rules }: CheckResponse): string {
  const deciding = rules.filter(({ outcome }) => outcome === decision);
  return deciding.map(({ rule, detail }) => `${rule}: ${detail}`).join('; ');
}

const NOT_ASKED = 'This was a dry run: nothing was sent, and nobody was asked to approve it.';

/**
 * What needs approval, as long as the executor would send it. INVARIANT: a person is asked
 * only about what it said that it would send.
 */
async function previewed(
  executor: GateOptions['executor'],
  action: ActionArguments,
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
  action: ActionArguments,
  rules: readonly RuleDecision[],
  call: Call,
): Promise<Executed | Refused | Unanswered> {
  const { requestId } = call;
  try {
    return { state: 'executed', requestId, rules, outcome: await executor.execute(action, call) };
  } catch (error) {
    return failureOf(error, { requestId, rules });
  }
}

/** What an error of the executor means; any but ours is thrown on. */
function failureOf(error: unknown, { requestId, rules }: Judged): Refused | Unanswered {
  if (!(error instanceof GatehouseError)) throw error;
  const judged = { requestId, rules, reason: error.message };
  if (error instanceof ProblemError) return { state: 'refused', ...judged, problem: error.problem };
  const maybeSent = !(error instanceof NoAnswerError) || error.maybeReceived;
  return { state: 'unanswered', ...judged, error, maybeSent };
}
