import {
  createGate,
  type GatedAction,
  type GateResult,
  type PolicyClient,
} from '@gatehouse/client';
import {
  type ActionArguments,
  claimedAction,
  type Explanation,
  type FixedSections,
  problemDocument,
  summarizeViolations,
  toBeJudged,
  type Violation,
} from '@gatehouse/contracts';
import { Approvals, MAX_QUESTIONS } from '../approval.ts';
import type { Executor } from '../backends/executor.ts';
import type { Policy } from '../backends/policy.ts';
import { argumentsReader } from './arguments.ts';
import { answerOf, GatedResult, toGatedResult } from './gated-result.ts';
import { questionFor } from './question.ts';
import { type Call, failed, outcomesOf, shownSchema, type Tool } from './tool.ts';

/** `http_request`: checks, asks the user where approval is needed, and then sends. */
export function httpRequestTool(policy: Policy, executor: Executor, facts: FixedSections): Tool {
  const input = claimedAction(facts);
  const read = argumentsReader(input);
  const approvals = new Approvals();
  return {
    definition: {
      name: 'http_request',
      title: 'Send an HTTP request',
      description:
        'Sends an HTTP request once the policy allows it; only listed hosts can be reached. State the facts of the action (spend, pii, legal, connector) as they are: a section that is left out needs approval, an empty list claims that there is nothing.',
      inputSchema: shownSchema(input),
      outputSchema: shownSchema(GatedResult),
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    call: async (given, call) => {
      const checked = read(given ?? {});
      if (!checked.ok) return answerOf(invalid(checked.violations, call));
      const request = toBeJudged(checked.value, facts);
      const log = (fields: object) => call.log({ ...fields, ...destination(request.action) });
      const answer = approvals.take(call.round);
      if (answer.declined) {
        log({ state: 'declined' });
        return answerOf({ state: 'declined', request_id: call.requestId, rules: [] });
      }
      const services = { policy, executor };
      const { result, explanation } = await run(request, services, answer.approves, call);
      if (result.state === 'needs_approval' && call.canAsk) {
        const { rules, reason, digest } = result;
        const question = questionFor(request.action, request.check, reason);
        const asked = approvals.ask(question, digest, call);
        log({ state: asked ? 'asking' : 'not asked', rules: outcomesOf(rules) });
        return asked ?? failed(TOO_MANY);
      }
      log({ ...logged(result), digest: explanation?.digest });
      return answerOf(toGatedResult(result, explanation));
    },
  };
}

const TOO_MANY = `Nothing was sent: this needs approval of a person, and ${MAX_QUESTIONS} questions wait for the user already. Call again once they are answered.`;

/** Runs an action through the gate, and keeps why the policy decided as it did. */
async function run(
  gated: GatedAction,
  { policy, executor }: { readonly policy: Policy; readonly executor: Executor },
  approves: (digest: string) => boolean,
  { requestId, signal, canAsk }: Call,
) {
  let explanation: Explanation | undefined;
  const check: PolicyClient['check'] = async (request, options) => {
    const explained = await policy.explain(request, options);
    explanation = explained.explanation;
    return explained;
  };
  const approve = ({ digest }: { readonly digest: string }) => approves(digest);
  const gate = createGate({ policy: { check }, executor });
  const result = await gate.run(gated, { requestId, signal, ...(canAsk && { approve }) });
  return { result, explanation };
}

function invalid(violations: readonly Violation[], { requestId, log }: Call): GatedResult {
  const [first] = violations;
  const detail =
    first?.pointer === '' ? `The arguments ${first.message}.` : summarizeViolations(violations);
  const problem = problemDocument('InvalidRequest', { detail, requestId, violations });
  log({ state: 'refused', code: problem.code });
  return { state: 'refused', request_id: requestId, rules: [], reason: detail, problem };
}

const MAX_PATH_CHARS = 500;

/** The upstream without the query, which may hold secrets. */
function destination({ method, url }: ActionArguments): object {
  const { host, pathname } = URL.parse(url) ?? {};
  return { upstream: { method, host, path: pathname?.slice(0, MAX_PATH_CHARS) } };
}

function logged(result: GateResult): object {
  const { state, rules } = result;
  const judged = { state, rules: outcomesOf(rules) };
  if (state === 'refused') return { ...judged, code: result.problem.code };
  if (state !== 'executed')
    return { ...judged, error: 'error' in result ? result.error?.message : undefined };
  const { outcome, status, attempts } = result.outcome;
  const error = 'error' in result.outcome ? result.outcome.error : undefined;
  return { ...judged, outcome, error, status, attempts };
}
