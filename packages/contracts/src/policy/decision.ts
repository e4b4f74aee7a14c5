import { type Static, Type } from '@sinclair/typebox';
import { Problem } from '../problems/problem-document.ts';
import {
  Flag,
  Integer,
  OneOf,
  ShownAs,
  Strict,
  StrictTitled,
  StringMap,
  Text,
  Texts,
} from '../schema.ts';
import { CheckRequest } from './check.ts';

/** Outcomes, from least to most strict. The decision is the strictest outcome of all rules. */
export const DECISIONS = ['allow', 'require_approval', 'deny'] as const;
export const Decision = OneOf(DECISIONS, undefined, 'Decision');
export type Decision = Static<typeof Decision>;

/** Names of the rules, in the order in which a response lists them. */
export const RULES = [
  'spend_limit',
  'pii_guardrail',
  'legal_compliance',
  'connector_scope',
] as const;
export const RuleName = OneOf(RULES, undefined, 'RuleName');
export type RuleName = Static<typeof RuleName>;

export const RuleDecision = StrictTitled('RuleDecision', {
  rule: RuleName,
  outcome: Decision,
  detail: Text('Says what the rule checked, and the reason for its outcome.'),
});
export type RuleDecision = Static<typeof RuleDecision>;

// Only unvalidated requests lead to `amount_not_exact`, `category_unknown` or `flag_unknown`.
const REASON_CODES = [
  'section_missing',
  'within_limit',
  'amount_above_limit',
  'amount_above_ceiling',
  'amount_not_exact',
  'nothing_claimed',
  'categories_allowed',
  'category_needs_approval',
  'category_denied',
  'category_unknown',
  'flags_allowed',
  'flag_needs_approval',
  'flag_denied',
  'flag_unknown',
  'scope_missing',
  'scope_allowed',
  'scope_needs_approval',
  'scope_denied',
  'scope_unknown',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

const outcomeMap = (description: string) => Type.Optional(StringMap(Decision, description));
const amount = (description: string) => Type.Optional(Integer(description));

export const Remedy = StrictTitled('Remedy', {
  max_amount_minor_units: amount('Largest amount that would be allowed, in minor units.'),
  drop_categories: Type.Optional(Texts('Categories that prevent the action from being allowed.')),
  drop_flags: Type.Optional(Texts('Flags that prevent the action from being allowed.')),
  use_scopes: Type.Optional(Texts('Up to 20 scopes that would be allowed.')),
});
export type Remedy = Static<typeof Remedy>;

export const RuleExplanation = StrictTitled('RuleExplanation', {
  rule: RuleName,
  code: OneOf(REASON_CODES, 'Stable code for programs.', 'ReasonCode'),
  currency: Type.Optional(Text('Currency of the amounts, as an ISO 4217 code.')),
  amount_minor_units: amount('Cost of the action, in minor units.'),
  limit_minor_units: amount('Largest amount that this request can spend without approval.'),
  ceiling_minor_units: amount('Amounts above this ceiling are denied.'),
  categories: outcomeMap('Outcome that the profile assigns to each category in the request.'),
  flags: outcomeMap('Outcome that the profile assigns to each flag in the request.'),
  scope: Type.Optional(Text('Scope in the request, shortened to 128 characters.')),
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

/** Response body of `POST /policy/check` (`policy-service.md` section 2). */
export const CheckResponse = StrictTitled('CheckResponse', {
  decision: OneOf(DECISIONS, 'The strictest outcome of all rules.', 'Decision'),
  rules: Type.Array(RuleDecision, {
    minItems: RULES.length - 1,
    maxItems: RULES.length,
    description: `One entry per rule, in this order: ${RULES.join(', ')}. By default, a request without a \`connector\` section gets no \`connector_scope\` entry.`,
  }),
  explanation: Type.Optional(Explanation),
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
