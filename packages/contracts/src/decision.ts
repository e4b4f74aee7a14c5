import { type Static, Type } from '@sinclair/typebox';
import { CheckRequest } from './check.ts';
import { Problem } from './problem-document.ts';
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
} from './schema.ts';

/** Outcomes from lenient to strict; the strictest outcome of all rules decides. */
export const DECISIONS = ['allow', 'require_approval', 'deny'] as const;
const describedDecision = (description?: string) => OneOf(DECISIONS, description, 'Decision');
export const Decision = describedDecision();
export type Decision = Static<typeof Decision>;

/** Lists the rules in the order of a response. */
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
  detail: Text('What was checked, and the reason for the outcome.'),
});
export type RuleDecision = Static<typeof RuleDecision>;

/**
 * Reasons for an outcome, for programs. `amount_not_exact`, `category_unknown` and `flag_unknown`
 * occur only for requests that were not validated.
 */
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

export const Remedy = StrictTitled('Remedy', {
  max_amount_minor_units: Type.Optional(Integer('The greatest amount that is allowed.')),
  drop_categories: Type.Optional(Texts('Categories to leave out.')),
  drop_flags: Type.Optional(Texts('Flags to leave out.')),
  use_scopes: Type.Optional(Texts('Some of the allowed scopes.')),
});
export type Remedy = Static<typeof Remedy>;

const outcomeMap = (description: string) => Type.Optional(StringMap(Decision, description));
const amount = (description: string) => Type.Optional(Integer(description));

export const RuleExplanation = StrictTitled('RuleExplanation', {
  rule: RuleName,
  code: OneOf(REASON_CODES, 'Stable code for programs.', 'ReasonCode'),
  currency: Type.Optional(Text('ISO 4217 code of the currency of the amounts.')),
  amount_minor_units: amount('What the action costs.'),
  limit_minor_units: amount('Greatest allowed amount, from the profile or from the request.'),
  ceiling_minor_units: amount('Amounts above this one are denied.'),
  categories: outcomeMap('The outcome of each category of the request.'),
  flags: outcomeMap('The outcome of each flag of the request.'),
  scope: Type.Optional(Text('The scope of the request, shortened.')),
  remedy: Type.Optional(Remedy),
});
export type RuleExplanation = Static<typeof RuleExplanation>;

/** Member that `?explain=true` adds (docs/contract.md, "Explain"). */
export const Explanation = StrictTitled('Explanation', {
  profile: Text('Name of the profile that was applied.'),
  digest: Text('SHA-256 of the profile as canonical JSON (RFC 8785), in hexadecimal.'),
  rules: Type.Array(RuleExplanation, { description: 'One entry for each rule of the response.' }),
});
export type Explanation = Static<typeof Explanation>;

export const ExplainQuery = Strict({
  explain: Type.Optional(Flag('Also explain the outcome of each rule.')),
});

/** Response of `POST /policy/check` (`policy-service.md` section 2). */
export const CheckResponse = StrictTitled('CheckResponse', {
  decision: describedDecision('The strictest outcome of all rules.'),
  rules: Type.Array(RuleDecision, {
    minItems: RULES.length - 1,
    maxItems: RULES.length,
    description: `One entry per rule, in this order: ${RULES.join(', ')} (the last only with a connector).`,
  }),
  explanation: Type.Optional(Explanation),
});
export type CheckResponse = Static<typeof CheckResponse>;

const COUNT = { minItems: 1, maxItems: 100 };
const AnythingElse = Type.Unknown({
  title: 'AnythingElse',
  description: 'An entry that is not a `CheckRequest` gets a problem as its result.',
});

/** Body of `POST /policy/check/batch` (docs/contract.md, "Batch"); the route validates the checks. */
export const BatchRequest = StrictTitled('BatchRequest', {
  checks: ShownAs(
    Type.Array(Type.Union([CheckRequest, AnythingElse]), {
      ...COUNT,
      description: 'Each check is evaluated by itself.',
    }),
    Type.Array(Type.Unknown(), COUNT),
  ),
});

export const BatchResponse = StrictTitled('BatchResponse', {
  results: Type.Array(Type.Union([CheckResponse, Problem]), {
    description: 'The decision or problem of each check, in the order of the checks.',
  }),
});
export type BatchResponse = Static<typeof BatchResponse>;

export const DIGEST_HEADER = 'x-policy-digest';
