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

/** The results of a rule or of all rules, from lenient to strict; the strictest one decides. */
export const DECISIONS = ['allow', 'require_approval', 'deny'] as const;
const decisionOf = (description?: string) => OneOf(DECISIONS, description, 'Decision');
export const Decision = decisionOf();
export type Decision = Static<typeof Decision>;

/** In the order in which the rules answer. */
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
  detail: Text('What was judged, and the reason for the outcome.'),
});
export type RuleDecision = Static<typeof RuleDecision>;

/**
 * Why a rule gave its outcome, for programs: a closed list. Only a request that was not
 * validated gets `amount_not_exact`, `category_unknown` or `flag_unknown`.
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

/** Changes after which the rule allows; only where there is one. */
export const Remedy = StrictTitled('Remedy', {
  max_amount_minor_units: Type.Optional(Integer('The greatest amount that is allowed.')),
  drop_categories: Type.Optional(Texts('Categories to do without.')),
  drop_flags: Type.Optional(Texts('Flags to do without.')),
  use_scopes: Type.Optional(Texts('Scopes that are allowed, the first of them.')),
});
export type Remedy = Static<typeof Remedy>;

const outcomes = (description: string) => Type.Optional(StringMap(Decision, description));
const amount = (description: string) => Type.Optional(Integer(description));

/** Why one rule gave its outcome: a code, what was compared, and what would be allowed. */
export const RuleExplanation = StrictTitled('RuleExplanation', {
  rule: RuleName,
  code: OneOf(REASON_CODES, 'Stable, for programs.', 'ReasonCode'),
  currency: Type.Optional(Text('ISO 4217 code of the amounts.')),
  amount_minor_units: amount('What the action costs.'),
  limit_minor_units: amount('Up to which it is allowed: of the profile, or of the request.'),
  ceiling_minor_units: amount('Above which it is denied.'),
  categories: outcomes('The outcome of each category of the request.'),
  flags: outcomes('The outcome of each flag of the request.'),
  scope: Type.Optional(Text('The scope that was judged, shortened.')),
  remedy: Type.Optional(Remedy),
});
export type RuleExplanation = Static<typeof RuleExplanation>;

/** What `?explain=true` adds (contract, section 2). */
export const Explanation = StrictTitled('Explanation', {
  profile: Text('The name of the profile that was judged by.'),
  digest: Text('Of that profile: SHA-256 of its canonical JSON (RFC 8785), in hexadecimal.'),
  rules: Type.Array(RuleExplanation, { description: 'One for each rule that answered.' }),
});
export type Explanation = Static<typeof Explanation>;

export const ExplainQuery = Strict({
  explain: Type.Optional(Flag('Add why each rule gave its outcome.')),
});

/** The answer of `POST /policy/check` (spec `policy-service.md` section 2). */
export const CheckResponse = StrictTitled('CheckResponse', {
  decision: decisionOf('The strictest outcome of all rules.'),
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
  description: 'An entry that is not a `CheckRequest` gets a problem in its place.',
});

/** The body of `POST /policy/check/batch` (contract, section 2); the route validates each check. */
export const BatchRequest = StrictTitled('BatchRequest', {
  checks: ShownAs(
    Type.Array(Type.Union([CheckRequest, AnythingElse]), {
      ...COUNT,
      description: 'Each judged by itself.',
    }),
    Type.Array(Type.Unknown(), COUNT),
  ),
});

/** The answers, in the order of the checks. */
export const BatchResponse = StrictTitled('BatchResponse', {
  results: Type.Array(Type.Union([CheckResponse, Problem]), {
    description: 'For each check what it alone would get: its decision, or its problem.',
  }),
});
export type BatchResponse = Static<typeof BatchResponse>;

/** The digest of the profile that a decision was made by. */
export const DIGEST_HEADER = 'x-policy-digest';
