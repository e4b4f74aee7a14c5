import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import { ActionArguments } from '../executor/execution.ts';
import { Nullish, Strict } from '../schema.ts';
import { type CheckRequest, Connector, Legal, Pii, Spend } from './check.ts';

const SECTIONS = { spend: Spend, pii: Pii, legal: Legal, connector: Connector };
const NAMES = ['spend', 'pii', 'legal', 'connector'] as const;

/** Sections of a check, such as `spend` and `pii`. */
export type Sections = Omit<CheckRequest, 'request_id'>;

/** Values that the operator, not the model, sets in a check. `spend: null` leaves out `spend`. */
export const FixedSections = Strict({
  spend: Nullish(Type.Partial(Spend)),
  pii: Nullish(Type.Partial(Pii)),
  legal: Nullish(Type.Partial(Legal)),
  connector: Nullish(Type.Partial(Connector)),
});
export type FixedSections = Static<typeof FixedSections>;

const FIXED = 'is unknown or may be set only by the operator; leave it out';

// A model that could send `user_limit_minor_units` could raise its own spending limit.
const NEVER_CLAIMED = ['user_limit_minor_units'];

/** Returns schemas of sections such as `spend`, with only the members that a model may send. */
export function sectionsBeside(fixed: FixedSections): TProperties {
  const sections: TProperties = {};
  for (const name of NAMES) {
    const section = claimableSection(SECTIONS[name], fixed[name]);
    if (section !== undefined) sections[name] = section;
  }
  return sections;
}

function claimableSection(section: TObject, fixed: object | null | undefined) {
  const closed = [...NEVER_CLAIMED, ...Object.keys(fixed ?? {})];
  const members = Object.entries(section.properties);
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
  const merged: Record<string, unknown> = {};
  for (const name of NAMES) {
    const part = fixed[name];
    merged[name] = part ? { ...sent[name], ...part } : part === null ? null : sent[name];
  }
  return merged as Sections;
}

export interface ClaimedAction extends ActionArguments, Sections {}

export const claimedActionSchema = (fixed: FixedSections) =>
  Type.Unsafe<ClaimedAction>(Strict({ ...ActionArguments.properties, ...sectionsBeside(fixed) }));

export function splitClaimedAction(claimed: ClaimedAction, fixed: FixedSections) {
  const { spend, pii, legal, connector, ...action } = claimed;
  return { action, check: withFixedSections(claimed, fixed) };
}
