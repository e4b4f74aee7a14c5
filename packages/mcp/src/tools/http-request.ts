import { createGate, type GatedAction } from '@gatehouse/client';
import {
  claimedActionSchema,
  type Explanation,
  type FixedSections,
  problemDocument,
  splitClaimedAction,
  summarizeViolations,
  type Violation,
} from '@gatehouse/contracts';
import { Approvals, MAX_QUESTIONS } from '../approval.ts';
import type { Executor } from '../backends/executor.ts';
import type { Policy } from '../backends/policy.ts';
import { argumentsReader } from './arguments.ts';
import { GatedResult, toGatedResult, toToolResult } from './gated-result.ts';
import { outcomeFields, resultFields, upstreamFields } from './log-fields.ts';
import { questionFor } from './question.ts';
import { type Call, failed, shownSchema, type Tool } from './tool.ts';

interface Services {
  readonly policy: Policy;
  readonly executor: Executor;
}

/** Tool `http_request`, which checks an action, asks the user if needed, and then sends it. */
export function httpRequestTool(services: Services, facts: FixedSections): Tool {
  const input = claimedActionSchema(facts);
  const read = argumentsReader(input);
  const approvals = new Approvals();
  return {
    definition: {
      name: 'http_request',
      title: 'Send an HTTP request',
      description:
        'Sends an HTTP request to an allowlisted host if the policy allows it. State the facts about the action (spend, pii, legal, connector) truthfully. If the facts are incomplete, a person must approve the action. Pass an empty list if no category or flag applies.',
      inputSchema: shownSchema(input),
      outputSchema: shownSchema(GatedResult),
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    call: async (given, call) => {
      const checked = read(given ?? {});
      if (!checked.ok) return toToolResult(invalidArguments(checked.violations, call));
      const request = splitClaimedAction(checked.value, facts);
      const log = (fields: object) => call.log({ ...fields, ...upstreamFields(request.action) });
      const answer = approvals.readAnswer(call.round);
      if (answer.declined) {
        log({ state: 'declined' });
        return toToolResult({ state: 'declined', request_id: call.requestId, rules: [] });
      }
      const { result, explanation } = await runRequest(request, services, answer.approved, call);
      if (result.state === 'needs_approval' && call.canAsk) {
        const { rules, reason, digest } = result;
        const question = questionFor(request.action, request.check, reason);
        const asked = approvals.ask(question, digest, call);
        log({ state: asked ? 'asking' : 'not asked', rules: outcomeFields(rules) });
        return asked ?? failed(TOO_MANY);
      }
      log({ ...resultFields(result), digest: explanation?.digest });
      return toToolResult(toGatedResult(result, explanation));
    },
  };
}

const TOO_MANY = `Nothing was sent, because the action needs a person's approval and ${MAX_QUESTIONS} other questions are waiting for the user. Call the tool again after the user has answered some of them.`;

/** Checks and sends an action, and returns the policy's explanation with the result. */
async function runRequest(
  gated: GatedAction,
  { policy, executor }: Services,
  approved: string | undefined,
  { requestId, signal, canAsk }: Call,
) {
  let explanation: Explanation | undefined;
  const check: Policy['explain'] = async (request, options) => {
    const explained = await policy.explain(request, options);
    explanation = explained.explanation;
    return explained;
  };
  const gate = createGate({ policy: { check }, executor });
  const approve = ({ digest }: { readonly digest: string }) => digest === approved;
  const result = await gate.run(gated, { requestId, signal, ...(canAsk && { approve }) });
  return { result, explanation };
}

function invalidArguments(violations: readonly Violation[], { requestId, log }: Call): GatedResult {
  const [first] = violations;
  const detail =
    first?.pointer === '' ? `The arguments ${first.message}.` : summarizeViolations(violations);
  const problem = problemDocument('InvalidRequest', { detail, requestId, violations });
  log({ state: 'refused', code: problem.code });
  return { state: 'refused', request_id: requestId, rules: [], reason: detail, problem };
}
