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
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { ANSWER_MS, type Answer, Approvals, MAX_QUESTIONS } from '../approval.ts';
import type { Executor } from '../backends/executor.ts';
import type { Policy } from '../backends/policy.ts';
import { argumentsReader } from './arguments.ts';
import { GatedResult, toGatedResult, toToolResult } from './gated-result.ts';
import { outcomeFields, resultFields, upstreamFields } from './log-fields.ts';
import { MAX_QUESTION_CHARS, questionFor } from './question.ts';
import { type Call, shownSchema, type Tool } from './tool.ts';

interface Backends {
  readonly policy: Policy;
  readonly executor: Executor;
  /** True for a header whose value MCP hosts should not show or store, such as `Authorization`. */
  readonly isCredential: (name: string) => boolean;
}

/** Tool `http_request`, which checks an action, asks the user if needed, and sends the action. */
export function httpRequestTool(backends: Backends, facts: FixedSections): Tool {
  const input = claimedActionSchema(facts);
  const read = argumentsReader(input);
  const approvals = new Approvals();
  return {
    definition: {
      name: 'http_request',
      title: 'Send an HTTP request',
      description:
        'Sends an HTTP request to an allowlisted host if the policy allows it. State the facts that the arguments ask for truthfully. If the facts are incomplete, a person must approve the action. Pass an empty list if no category or flag applies.',
      inputSchema: shownSchema(input),
      outputSchema: shownSchema(GatedResult),
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    call: async (given, call) => {
      const checked = read(given ?? {});
      if (!checked.ok) return toToolResult(invalidArguments(checked.violations, call));
      const request = splitClaimedAction(checked.value, facts);
      return carryOut(request, approvals.readAnswer(call.round), { ...backends, approvals }, call);
    },
  };
}

/**
 * Sends an action if the policy allows it, and asks the user if it needs approval:
 * - A 2025 host (`elicit`) answers during the call, and `carryOut` then calls itself.
 * - A 2026 host gets the question as the result, and calls the tool again with the answer.
 * Either way, the policy is asked again, because it may have changed in the meantime.
 */
async function carryOut(
  gated: GatedAction,
  { declined, digest: approval }: Answer,
  parts: Backends & { readonly approvals: Approvals },
  call: Call,
): Promise<CallToolResult | InputRequiredResult> {
  const log = (fields: object) =>
    call.log({ approval, ...fields, ...upstreamFields(gated.action) });
  if (declined) {
    log({ state: 'declined' });
    return toToolResult({ state: 'declined', request_id: call.requestId, rules: [] });
  }
  const { result, explanation } = await runRequest(gated, parts, approval, call);
  const finish = (unasked?: string) => {
    log({ ...resultFields(result), digest: explanation?.digest, unasked });
    const given = toGatedResult(result, explanation);
    return toToolResult(unasked ? { ...given, reason: `${given.reason} ${unasked}` } : given);
  };
  if (result.state !== 'needs_approval' || !call.canAsk) return finish();
  const { host, elicit, progress } = call;
  const question = questionFor(gated.action, gated.check, result.reason, parts.isCredential);
  if (question.length > MAX_QUESTION_CHARS) return finish(TOO_LONG);
  const asked = parts.approvals.ask(question, result.digest, host);
  if (asked === undefined) return finish(TOO_MANY);
  log({ state: 'asking', rules: outcomeFields(result.rules), approval: result.digest });
  if (elicit === undefined) return asked;
  const answer = await parts.approvals.waitFor(asked, { elicit, progress }).catch(hostFailed);
  return typeof answer === 'string' ? finish(answer) : carryOut(gated, answer, parts, call);
}

const hostFailed = (error: Error) => `The host got no answer from its user (${error.message}).`;
const TOO_MANY = `No one was asked, because ${MAX_QUESTIONS} other questions are waiting for the user. Call the tool again after the user has answered a waiting question, or after ${ANSWER_MS / 60_000} minutes.`;
const TOO_LONG = `No one was asked, because the request is too long to show: a question has at most ${MAX_QUESTION_CHARS} characters. Send a shorter request, or ask the user to review the request and send it without this tool.`;

/** Checks and sends an action, and returns the policy's explanation with the result. */
async function runRequest(
  gated: GatedAction,
  { policy, executor }: Backends,
  approved: string | undefined,
  { requestId, signal }: Call,
) {
  let explanation: Explanation | undefined;
  const check: Policy['explain'] = async (request, options) => {
    const explained = await policy.explain(request, options);
    explanation = explained.explanation;
    return explained;
  };
  const gate = createGate({ policy: { check }, executor });
  // The gate does a dry run only if there is an `approve`, so pass one even without an approval.
  const approve = ({ digest }: { readonly digest: string }) => digest === approved;
  const result = await gate.run(gated, { requestId, signal, approve });
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
