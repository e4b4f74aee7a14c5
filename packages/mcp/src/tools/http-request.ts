import { createGate, type Explained, type GatedAction } from '@gatehouse/client';
import {
  claimedActionSchema,
  type FixedSections,
  METHODS,
  problemDocument,
  splitClaimedAction,
  summarizeViolations,
  type Violation,
} from '@gatehouse/contracts';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { TSchema } from '@sinclair/typebox';
import { ANSWER_MS, type Answer, Approvals, MAX_QUESTIONS } from '../approval.ts';
import type { Executor } from '../backends/executor.ts';
import type { Policy } from '../backends/policy.ts';
import { argumentsReader } from './arguments.ts';
import { BODY_TYPES, bodyViolations } from './body.ts';
import { toGatedResult } from './gated-result.ts';
import { decisionFields, resultFields, upstreamFields } from './log-fields.ts';
import { MAX_QUESTION_CHARS, questionFor } from './question.ts';
import { toToolResult } from './result-text.ts';
import { type Call, shownSchema, type Tool } from './tool.ts';

interface Backends {
  readonly policy: Policy;
  readonly executor: Executor;
  /** True for a header whose value MCP hosts should not show or store, such as `Authorization`. */
  readonly isCredential: (name: string) => boolean;
  readonly logAmounts: boolean;
  /** Size limit for a response body, if the executor runs in this process. */
  readonly maxResponseBytes: number | undefined;
  /** Size limit for the part of a body that the model gets, unless it sets `max_bytes`. */
  readonly maxBytes: number;
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
      description: `Sends an HTTP request to an allowed host if the policy allows it. State the facts that the arguments ask for truthfully. If the facts are incomplete, a person must approve the action. Pass an empty list if no category or flag applies.${sizeLimit(backends)}`,
      inputSchema: shownSchema({ ...input, properties: shownProperties(input.properties) }),
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    call: async (given, call) => {
      const checked = read(given ?? {});
      if (!checked.ok) return invalidArguments(checked.violations, call);
      const { action, check } = splitClaimedAction(checked.value, facts, backends.maxBytes);
      const violations = bodyViolations(action);
      if (violations.length > 0) return invalidArguments(violations, call);
      const parts = { ...backends, approvals };
      return carryOut({ action, check }, approvals.readAnswer(call.round), parts, call);
    },
  };
}

/** Names the types of `body`, and adds the lower-case spellings that `method` accepts. */
function shownProperties(properties: Record<string, TSchema>) {
  const { body } = properties;
  const spellings = [...METHODS, ...METHODS.map((name) => name.toLowerCase())];
  return {
    ...properties,
    method: { type: 'string', enum: spellings, description: METHOD },
    body: { ...body, anyOf: BODY_TYPES },
  };
}

const METHOD = 'HTTP method, in upper or lower case.';

function sizeLimit({ maxResponseBytes, maxBytes }: Backends): string {
  const cut = ` You get at most ${maxBytes} bytes of a response body, unless you set \`max_bytes\`. To get what you need of a long one, name its members in \`fields\`.`;
  if (maxResponseBytes === undefined) return cut;
  return `${cut} A response body can have at most ${maxResponseBytes} bytes in all, so ask for one page at a time.`;
}

/**
 * Sends an action if the policy allows it, and asks the user if it needs approval:
 * - A 2025 host (`elicit`) answers during the call, and `carryOut` then calls itself.
 * - A 2026 host gets the question as the result, and calls the tool again with the answer.
 * Either way, the policy is asked again, because it may have changed in the meantime.
 */
async function carryOut(
  gated: GatedAction,
  answer: Answer,
  parts: Backends & { readonly approvals: Approvals },
  call: Call,
): Promise<CallToolResult | InputRequiredResult> {
  const { gate, explained } = explainingGate(parts);
  const log = (fields: object) =>
    call.log({
      ...{ approval: answer.digest, ...fields },
      ...decisionFields(gated.check, explained(), parts.logAmounts),
      ...upstreamFields(gated.action),
    });
  if (answer.declined) {
    // Without an action, the gate asks only the policy, and sends nothing.
    const { requestId: request_id, rules } = await gate.check({ check: gated.check }, call);
    log({ state: 'declined' });
    const digest = explained()?.explanation.digest;
    return toToolResult({ state: 'declined', request_id, rules, ...(digest && { digest }) });
  }

  // The gate does a dry run only if there is an `approve`, so pass one even without an approval.
  const approve = ({ digest }: { readonly digest: string }) => digest === answer.digest;
  const { requestId, signal } = call;
  const result = await gate.run(gated, { requestId, signal, approve });
  const finish = (unasked?: string) => {
    log({ ...resultFields(result), unasked });
    const explanation = explained()?.explanation;
    const given = toGatedResult(result, explanation);
    const reason = unasked === undefined ? given.reason : `${given.reason} ${unasked}`;
    return toToolResult({ ...given, ...(reason && { reason }) }, explanation);
  };
  if (result.state !== 'needs_approval') return finish();

  const asked = ask(gated, result, parts, call);
  if (typeof asked === 'string') return finish(asked);

  log({ state: 'asking', approval: result.digest });

  const { elicit, progress } = call;
  if (elicit === undefined) return asked;

  const next = await parts.approvals.waitFor(asked, { elicit, progress }).catch(hostFailed);
  return typeof next === 'string' ? finish(next) : carryOut(gated, next, parts, call);
}

/** Returns the question for the user, or the reason why no one can be asked. */
function ask(
  { action, check }: GatedAction,
  { reason, digest }: { readonly reason: string; readonly digest: string },
  { approvals, isCredential }: Backends & { readonly approvals: Approvals },
  { host, canAsk }: Call,
): InputRequiredResult | string {
  if (!canAsk) return NO_ELICITATION;
  const question = questionFor(action, check, reason, isCredential);
  if (question.length > MAX_QUESTION_CHARS) return TOO_LONG;
  return approvals.ask(question, digest, host) ?? TOO_MANY;
}

const INSTEAD =
  'Ask the user to carry out the action without this tool, or to have an operator either connect a host that supports elicitation, or allow such actions in the profile.';
const NO_ELICITATION = `No one was asked, because this MCP host cannot show an approval request to its user: it does not declare the capability \`elicitation\`. ${INSTEAD}`;
const hostFailed = ({ message }: Error) =>
  `The host got no answer from its user (${message}). ${INSTEAD}`;
const TOO_MANY = `No one was asked, because ${MAX_QUESTIONS} other questions are waiting for the user. Call the tool again after the user has answered a waiting question, or after ${ANSWER_MS / 60_000} minutes.`;
const TOO_LONG = `No one was asked, because the request is too long to show: a question has at most ${MAX_QUESTION_CHARS} characters. Send a shorter request, or ask the user to review the request and send it without this tool.`;

/** Returns a gate that keeps the policy's latest explanation. */
function explainingGate({ policy, executor }: Backends) {
  let latest: Explained | undefined;
  const check: Policy['explain'] = async (request, options) => {
    latest = await policy.explain(request, options);
    return latest;
  };
  return { gate: createGate({ policy: { check }, executor }), explained: () => latest };
}

function invalidArguments(violations: readonly Violation[], { requestId, log }: Call) {
  const [first] = violations;
  const detail =
    first?.pointer === '' ? `The arguments ${first.message}.` : summarizeViolations(violations);
  const problem = problemDocument('InvalidRequest', { detail, requestId, violations });
  log({ state: 'refused', code: problem.code });
  const refused = { state: 'refused', request_id: requestId, rules: [] } as const;
  return toToolResult({ ...refused, reason: detail, problem });
}
