import { randomUUID } from 'node:crypto';
import type { CheckRequest, CheckResponse, RuleDecision } from '@gatehouse/contracts';
import { decisionOf } from './answers.ts';
import { approvalDigest } from './approval-digest.ts';
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
import { frozenCopy, type GatedAction } from './gated-action.ts';
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

export interface RunOptions extends CallOptions {
  /**
   * Called when the action needs approval and the executor would send it. Only `true` approves.
   * `gated` is a frozen copy of what is sent then. If `signal` aborts first, `run` rejects.
   */
  readonly approve?: (pending: NeedsApproval, gated: GatedAction) => boolean | Promise<boolean>;
}

/** What `check` takes: without an `action`, the policy alone is asked. */
type Checked = Pick<GatedAction, 'check'> & Partial<GatedAction>;

/** Both methods write the action as JSON when they are called; later changes have no effect. */
export interface Gate {
  /**
   * Checks without executing, to ask a person first; `run` checks again. What needs approval is
   * judged by the executor too, if there is an `action`. Never throws what a service does.
   */
  check(gated: Checked, options?: CallOptions): Promise<Verdict>;
  /**
   * Checks an action, and executes it if it is allowed. Never throws what a service does.
   * @throws what `approve` throws, and the reason of `signal` if it aborts while `approve` runs.
   */
  run(gated: GatedAction, options?: RunOptions): Promise<GateResult>;
}

/** Checks first, executes only what is allowed. */
export function createGate({ policy, executor }: GateOptions): Gate {
  return {
    check: async (given, { requestId = randomUUID(), ...more } = {}) => {
      const call = { ...more, requestId };
      const { verdict, gated } = await judge(policy, given, call);
      if (verdict.state !== 'needs_approval' || gated.action === undefined) return verdict;
      return await previewed(executor, gated.action, verdict, call);
    },
    run: async (given, { approve, requestId = randomUUID(), ...more } = {}) => {
      const call = { ...more, requestId };
      const { verdict, gated } = await judge(policy, given, call);
      if (verdict.state === 'denied') return verdict;
      if (verdict.state === 'needs_approval') {
        if (approve === undefined) return verdict;
        const asked = await previewed(executor, gated.action, verdict, call);
        if (asked.state !== 'needs_approval') return asked;
        const answer = await unlessAborted(call.signal, async () => approve(asked, gated));
        if (answer !== true) return asked;
      }
      return await execute(executor, gated.action, verdict.rules, call);
    },
  };
}

type Call = CallOptions & { readonly requestId: string };

interface Judgement<T> {
  readonly verdict: Denied | NeedsApproval | Allowed;
  /** The copy that was judged, and is the only one to use from here on. */
  readonly gated: T;
}

/**
 * INVARIANT: anything but a well-formed `allow` or `require_approval` is denied:
 * 1. no usable answer; 2. deny; 3. require_approval; 4. allow.
 */
async function judge<T extends Checked>(
  policy: Policy,
  given: T,
  call: Call,
): Promise<Judgement<T>> {
  const { requestId } = call;
  let gated = given;
  let answer: CheckResponse | undefined;
  try {
    gated = frozenCopy(given);
    const { check } = gated;
    answer = decisionOf(await policy.check({ request_id: requestId, ...check }, call), check);
    if (answer === undefined) throw new GatehouseError(NO_DECISION);
  } catch (cause) {
    const error = gatehouseError(cause);
    const verdict = {
      state: 'denied',
      requestId,
      rules: [],
      reason: error.message,
      error,
    } as const;
    return { verdict, gated };
  }
  const { decision, rules } = answer;
  const reason = reasonOf(answer);
  if (decision === 'deny') return { verdict: { state: 'denied', requestId, rules, reason }, gated };
  if (decision === 'allow') return { verdict: { state: 'allowed', requestId, rules }, gated };
  const digest = approvalDigest(gated, reason);
  return { verdict: { state: 'needs_approval', requestId, rules, reason, digest }, gated };
}

const NO_DECISION =
  'The policy gave no decision: each rule has to answer once, and the strictest outcome decides.';

/** The details of the rules that decided. */
function reasonOf({ decision, rules }: CheckResponse): string {
  const deciding = rules.filter(({ outcome }) => outcome === decision);
  return deciding.map(({ rule, detail }) => `${rule}: ${detail}`).join('; ');
}

/** Runs; rejects as soon as the signal aborts, even if `run` never ends. */
function unlessAborted<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
  if (signal === undefined) return run();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    run()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

const NOT_ASKED = 'This was a dry run: nothing was sent, and nobody was asked to approve it.';

/**
 * What needs approval, as long as the executor would send it. INVARIANT: a person is asked
 * only about what it said that it would send.
 */
async function previewed(
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
