import { type TProperties, Type } from '@sinclair/typebox';
import { ActionArguments } from '../executor/execution.ts';
import { Nullish, Strict } from '../schema.ts';
import type { CheckRequest } from './check.ts';
import type { Section } from './rule-parts.ts';
import { RULE_SCHEMAS, type RuleSchemas } from './rules.ts';

const RULES: readonly (RuleSchemas & { section: Section })[] = Object.values(RULE_SCHEMAS);

/** Sections of a check, such as `spend` and `pii`. */
export type Sections = Pick<CheckRequest, Section>;

/** Values that the operator, not the model, sets in a check. `spend: null` leaves out `spend`. */
export type FixedSections = { [S in Section]?: Partial<NonNullable<Sections[S]>> | null };
export const FixedSections = Type.Unsafe<FixedSections>(
  Strict(
    Object.fromEntries(RULES.map(({ section, check }) => [section, Nullish(Type.Partial(check))])),
  ),
);

const FIXED = 'is unknown or may be set only by the operator; leave it out';

/** Returns schemas of sections such as `spend`, with only the members that a model may send. */
export function sectionsBeside(fixed: FixedSections): TProperties {
  const sections: TProperties = {};
  for (const rule of RULES) {
    const section = claimableSection(rule, fixed[rule.section]);
    if (section !== undefined) sections[rule.section] = section;
  }
  return sections;
}

function claimableSection({ check, operatorOnly = [] }: RuleSchemas, fixed?: object | null) {
  const closed = [...operatorOnly, ...Object.keys(fixed ?? {})];
  const members = Object.entries(check.properties);
  const open = members.filter(([name]) => !closed.includes(name));
  if (fixed === null || open.length === 0) return undefined;

  const rest = Type.Object(Object.fromEntries(open), {
    additionalProperties: false,
    ...(open.length < members.length && { 'x-unknown-member': FIXED }),
  });
  if (fixed === undefined) return Nullish(rest);

  // Make the section optional if all of its members are optional.
  return rest.required === undefined ? Type.Optional(rest) : rest;
}

export function withFixedSections(sent: Sections, fixed: FixedSections): Sections {
  const merged = RULES.map(({ section }) => {
    const part = fixed[section];
    if (part === undefined) return [section, sent[section]];
    return [section, part && { ...sent[section], ...part }];
  });
  return Object.fromEntries(merged);
}

export interface ClaimedAction extends ActionArguments, Sections {}

export const claimedActionSchema = (fixed: FixedSections) =>
  Type.Unsafe<ClaimedAction>(Strict({ ...ActionArguments.properties, ...sectionsBeside(fixed) }));

/** Default of `max_bytes` in an action of a model, which pays for every byte. */
export const MODEL_MAX_BYTES = 20_000;

/** Advice for a model whose answer was cut to `max_bytes`. */
export const OMITTED_ADVICE =
  'The body was cut, and `omitted` says where. If you need the rest and the request only reads data, repeat it with fewer `fields`, for the next page, or with a larger `max_bytes`.';

/**
 * Splits what a model sent into the action and the sections of a check, and adds those in `fixed`.
 * Sets `max_bytes`, unless the model has set it.
 */
export function splitClaimedAction(
  claimed: ClaimedAction,
  fixed: FixedSections,
  maxBytes = MODEL_MAX_BYTES,
) {
  const action = { ...claimed, max_bytes: claimed.max_bytes ?? maxBytes };
  for (const { section } of RULES) delete action[section];
  return { action: action as ActionArguments, check: withFixedSections(claimed, fixed) };
}
