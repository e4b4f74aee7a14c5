import { randomUUID } from 'node:crypto';
import type {
  ActionArguments,
  CheckRequest,
  CheckResponse,
  ExecutionOutcome,
  Problem,
  RuleDecision,
} from '@gatehouse/contracts';
import { decisionOf } from './answers.ts';
import { GatehouseError, NoAnswerError, ProblemError } from './errors.ts';
import type { ExecutorClient } from './executor-client.ts';
import type { CallOptions } from './options.ts';

/** A `PolicyClient`, or the engine in this process: `{ check: (request) => … }`. */
export interface Policy {
  check(request: CheckRequest, options: CallOptions): CheckResponse | Promise<CheckResponse>;
}

export interface GateOptions {
  readonly policy: Policy;
  readonly executor: Pick<ExecutorClient, 'execute'>;
}

/** An action, and what it would spend and touch. */
export interface GatedAction {
  readonly check: CheckRequest;
  readonly action: ActionArguments;
}

export interface RunOptions extends CallOptions {
  /** Asked when the action needs approval; anything but `true` leaves it so. */
  readonly approve?: (pending: NeedsApproval) => boolean | Promise<boolean>;
}

interface Judged {
  /** The `x-request-id` of all calls. */
  readonly requestId: string;
  readonly rules: readonly RuleDecision[];
}

/** Nothing was sent: the policy denies it, or gave no usable answer. */
export interface Denied extends Judged {
  readonly state: 'denied';
  readonly reason: string;
  /** Present when there was no usable answer. */
  readonly error?: GatehouseError;
}

/** Nothing was sent: a person has to approve it. */
export interface NeedsApproval extends Judged {
  readonly state: 'needs_approval';
  readonly reason: string;
}

/** Nothing was sent: the executor refused the action. */
export interface Refused extends Judged {
  readonly state: 'refused';
  readonly reason: string;
  readonly problem: Problem;
}

/** A request was sent; the outcome may be a failure. */
export interface Executed extends Judged {
  readonly state: 'executed';
  readonly outcome: ExecutionOutcome;
}

/** The executor gave no usable answer: the action may have been carried out. */
export interface Unanswered extends Judged {
  readonly state: 'unanswered';
  readonly reason: string;
  readonly error: GatehouseError;
  /** False: surely nothing was sent. */
  readonly maybeSent: boolean;
}

export type GateResult = Denied | NeedsApproval | Refused | Executed | Unanswered;

/** The policy allows it; nothing was sent yet. */
export interface Allowed extends Judged {
  readonly state: 'allowed';
}

export type Verdict = Denied | NeedsApproval | Allowed;

export interface Gate {
  /** Checks without executing, to ask a person first; `run` checks again. Never throws. */
  check(check: CheckRequest, options?: CallOptions): Promise<Verdict>;
  /** Checks an action, and executes it if it is allowed. Never throws what a service does. */
  run(gated: GatedAction, options?: RunOptions): Promise<GateResult>;
}

/** Checks first, executes only what is allowed. */
export function createGate({ policy, executor }: GateOptions): Gate {
  return {
    check: (check, { requestId = randomUUID(), ...more } = {}) =>
      judge(policy, check, { ...more, requestId }),
    run: async ({ check, action }, { approve, requestId = randomUUID(), ...more } = {}) => {
      const call = { ...more, requestId };
      const verdict = await judge(policy, check, call);
      if (verdict.state === 'denied') return verdict;
      if (verdict.state === 'needs_approval' && (await approve?.(verdict)) !== true) return verdict;
      return await execute(executor, action, verdict.rules, call);
    },
  };
}

type Call = CallOptions & { readonly requestId: string };

/**
 * INVARIANT: anything but a well-formed `allow` or `require_approval` is denied:
 * 1. no usable answer; 2. deny; 3. require_approval; 4. allow.
 */
async function judge(policy: Policy, check: CheckRequest, call: Call): Promise<Verdict> {
  const { requestId } = call;
  let answer: CheckResponse | undefined;
  try {
    answer = decisionOf(await policy.check({ request_id: requestId, ...check }, call));
    if (answer === undefined) throw new GatehouseError('The policy gave no decision.');
  } catch (cause) {
    const error =
      cause instanceof GatehouseError ? cause : new GatehouseError(String(cause), { cause });
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
    if (!(error instanceof GatehouseError)) throw error;
    const judged = { requestId, rules, reason: error.message };
    if (error instanceof ProblemError)
      return { state: 'refused', ...judged, problem: error.problem };
    const maybeSent = !(error instanceof NoAnswerError) || error.maybeReceived;
    return { state: 'unanswered', ...judged, error, maybeSent };
  }
}
