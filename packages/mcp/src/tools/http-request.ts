import {
  CheckRequest,
  type ClaimedAction,
  claimedActionSchema,
  type FixedSections,
  METHODS,
  problemDocument,
  Strict,
  splitClaimedAction,
  summarizeViolations,
  type Violation,
} from '@gatehouse/contracts';
import { type TSchema, Type } from '@sinclair/typebox';
import { Approvals } from '../approval.ts';
import { MAX_ANSWER_BYTES } from './answer-limit.ts';
import { argumentsReader } from './arguments.ts';
import { BODY_TYPES, bodyViolations } from './body.ts';
import { type Backends, carryOut } from './carry-out.ts';
import { toToolResult } from './result-text.ts';
import { type Call, shownSchema, type Tool } from './tool.ts';

/** Facts that the tool's definition tells a model. */
interface Described {
  /** Size limit for a response body, if the executor runs in this process. */
  readonly maxResponseBytes: number | undefined;
  /** Size limit for the part of a body that the model gets, unless it sets `max_bytes`. */
  readonly maxBytes: number;
  /** True if the policy may require a signed approval, which only a policy service does. */
  readonly takesApproval: boolean;
}

const { approval: APPROVAL } = CheckRequest.properties;

/** Tool `http_request`, which checks an action, asks the user if needed, and sends the action. */
export function httpRequestTool(
  backends: Backends,
  facts: FixedSections,
  described: Described,
): Tool {
  const { properties } = claimedActionSchema(facts);
  const input = Type.Unsafe<ClaimedAction & { readonly approval?: string | null }>(
    Strict({ ...properties, ...(described.takesApproval && { approval: APPROVAL }) }),
  );
  const read = argumentsReader(input);
  const approvals = new Approvals();
  return {
    definition: {
      name: 'http_request',
      title: 'Send an HTTP request',
      description: `Sends an HTTP request to an allowed host if the policy allows it. State the facts that the arguments ask for truthfully. If the facts are incomplete, a person must approve the action. Pass an empty list if no category or flag applies.${sizeLimit(described)}`,
      inputSchema: shownSchema({ ...input, properties: shownProperties(input.properties) }),
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    call: async (given, call) => {
      const checked = read(given ?? {});
      if (!checked.ok) return invalidArguments(checked.violations, call);
      const { approval, ...claimed } = checked.value;
      const max_bytes = Math.min(claimed.max_bytes ?? described.maxBytes, MAX_ANSWER_BYTES);
      const gated = splitClaimedAction({ ...claimed, max_bytes }, facts);
      const violations = bodyViolations(gated.action);
      if (violations.length > 0) return invalidArguments(violations, call);
      const parts = { ...backends, approvals };
      const requested = { gated, approval: approval ?? undefined };
      return carryOut(requested, await approvals.readAnswer(call), parts, call);
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

function sizeLimit({ maxResponseBytes, maxBytes }: Described): string {
  const cut = ` You get at most ${maxBytes} bytes of a response body, unless you set \`max_bytes\`. To get what you need of a long one, name its members in \`fields\`.`;
  if (maxResponseBytes === undefined) return cut;
  return `${cut} A response body can have at most ${maxResponseBytes} bytes in all, so ask for one page at a time.`;
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
