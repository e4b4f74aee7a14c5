import { type Static, Type } from '@sinclair/typebox';
import { Problem } from '../problems/problem-document.ts';
import { Flag, OneOf, ShownAs, Strict, StrictTitled, Text } from '../schema.ts';
import { CheckRequest } from './check.ts';
import { DECISIONS, Decision } from './outcome.ts';
import { membersOf, OPTIONAL_RULES, REASON_CODES, RULES } from './rule-parts.ts';

const RuleName = OneOf(RULES, undefined, 'RuleName');

export const RuleDecision = StrictTitled('RuleDecision', {
  rule: RuleName,
  outcome: Decision,
  detail: Text('Says what the rule checked, and the reason for its outcome.'),
});
export type RuleDecision = Static<typeof RuleDecision>;

export const Remedy = StrictTitled('Remedy', membersOf('remedy'));
export type Remedy = Static<typeof Remedy>;

export const RuleExplanation = StrictTitled('RuleExplanation', {
  rule: RuleName,
  code: OneOf(REASON_CODES, 'Stable code for programs.', 'ReasonCode'),
  ...membersOf('facts'),
  remedy: Type.Optional(Remedy),
});
export type RuleExplanation = Static<typeof RuleExplanation>;

/** Explanation that `?explain=true` adds to a response (docs/contract.md, "Explain"). */
export const Explanation = StrictTitled('Explanation', {
  profile: Text('Name of the profile that was applied.'),
  digest: Text('SHA-256 of the profile as canonical JSON (RFC 8785), in hexadecimal.'),
  rules: Type.Array(RuleExplanation, { description: "Explanation of each rule's outcome." }),
});
export type Explanation = Static<typeof Explanation>;

export const ExplainQuery = Strict({
  explain: Type.Optional(Flag("Whether to explain each rule's outcome.")),
});

const OPTIONAL = OPTIONAL_RULES.filter((name) => name !== 'http_action');

/** Response body of `POST /policy/check` (`policy-service.md` section 2). */
export const CheckResponse = StrictTitled('CheckResponse', {
  decision: OneOf(DECISIONS, 'The strictest outcome of all rules.', 'Decision'),
  rules: Type.Array(RuleDecision, {
    minItems: RULES.length - OPTIONAL_RULES.length,
    maxItems: RULES.length,
    description: `One entry per rule, in this order: ${RULES.join(', ')}. The entry of \`http_action\` is missing if the profile has no section \`actions\`. The entry of ${OPTIONAL.join(' or ')} is missing if the check lacks the rule's section and the profile says \`missing: no_entry\`, as the default profile does.`,
  }),
  explanation: Type.Optional(Explanation),
  token: Type.Optional(
    Text(
      'Decision token (a JWS) for the action of an allowed check, to send to the executor as `x-gatehouse-decision`. Present if the service has a signing key.',
    ),
  ),
  approval_request: Type.Optional(
    Text(
      'Request (a JWS) that an approver sends to `POST /policy/approvals`. Present if the check has an action that needs approval, and the service has a signing key.',
    ),
  ),
});
export type CheckResponse = Static<typeof CheckResponse>;

const COUNT = { minItems: 1, maxItems: 100 };
const AnythingElse = Type.Unknown({
  title: 'AnythingElse',
  description: 'Invalid check. The result is a problem document instead of a decision.',
});

/** Body of `POST /policy/check/batch` (docs/contract.md, "Batch"). */
export const BatchRequest = StrictTitled('BatchRequest', {
  checks: ShownAs(
    Type.Array(Type.Union([CheckRequest, AnythingElse]), {
      ...COUNT,
      description: 'List of checks. The service evaluates each check separately.',
    }),
    // Allow any value for each check, because the batch route validates each check separately.
    Type.Array(Type.Unknown(), COUNT),
  ),
});

export const BatchResponse = StrictTitled('BatchResponse', {
  results: Type.Array(Type.Union([CheckResponse, Problem]), {
    description: 'Decision or problem for each check, in the order of the checks.',
  }),
});
export type BatchResponse = Static<typeof BatchResponse>;

export const DIGEST_HEADER = 'x-policy-digest';
