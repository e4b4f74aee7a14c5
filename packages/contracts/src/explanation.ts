import { type Static, Type } from '@sinclair/typebox';
import { CheckResponse, Decision, RuleName } from './policy.ts';
import { Profile } from './profile.ts';
import { REASON_CODES } from './reasons.ts';
import { Flag, Integer, OneOf, Strict, StrictTitled, StringMap, Text, Texts } from './schema.ts';

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

/** The answer to `?explain=true` (contract, section 2). */
export const Explanation = StrictTitled('Explanation', {
  profile: Text('The name of the profile that was judged by.'),
  digest: Text('Of that profile: SHA-256 of its canonical JSON (RFC 8785), in hexadecimal.'),
  rules: Type.Array(RuleExplanation, { description: 'One for each rule that answered.' }),
});
export type Explanation = Static<typeof Explanation>;

export const ExplainQuery = Strict({
  explain: Type.Optional(Flag('Add why each rule gave its outcome.')),
});

/** The answer of `POST /policy/check`, which explains itself on request. */
export const ExplainedResponse = StrictTitled('CheckResponse', {
  ...CheckResponse.properties,
  explanation: Type.Optional(Explanation),
});
export type ExplainedResponse = Static<typeof ExplainedResponse>;

/** The answer of `GET /policy/profile`. */
export const ProfileInForce = StrictTitled('ProfileInForce', {
  profile: Type.Unsafe<Profile>(Profile),
  digest: Text('SHA-256 of the canonical JSON (RFC 8785) of `profile`, in hexadecimal.'),
});
export type ProfileInForce = Static<typeof ProfileInForce>;

/** The digest of the profile that a decision was made by. */
export const DIGEST_HEADER = 'x-policy-digest';
