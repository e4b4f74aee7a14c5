import { HTTP_ACTION } from './http-action.ts';
import { RULE_SCHEMAS } from './rules.ts';

type Schemas = typeof RULE_SCHEMAS;
/** Names of the rules that read a section of a check. */
export type SectionRuleName = keyof Schemas;

const PARTS = { ...RULE_SCHEMAS, http_action: HTTP_ACTION };
export type RuleName = keyof typeof PARTS;
/** Names of the sections of a check and of a profile, such as `spend`. */
export type Section = Schemas[SectionRuleName]['section'];

/** Names of the rules, in the order in which a response lists them. */
export const RULES = Object.keys(PARTS) as readonly RuleName[];

/** True if a profile can leave the rule out of the response to a check without its section. */
const isOptional = (name: SectionRuleName) =>
  RULE_SCHEMAS[name].profile.properties.missing.enum.includes('no_entry');

/** Rules that a response can lack. */
export const OPTIONAL_RULES = RULES.filter((name) => name === 'http_action' || isOptional(name));

const ALL = Object.values(RULE_SCHEMAS);
const ALL_PARTS = Object.values(PARTS);

export type ReasonCode = 'section_missing' | 'approved' | (typeof PARTS)[RuleName]['codes'][number];
export const REASON_CODES: readonly ReasonCode[] = [
  ...new Set([
    'section_missing' as const,
    'approved' as const,
    ...ALL_PARTS.flatMap(({ codes }) => codes),
  ]),
];

export type SectionSchemas<P extends 'check' | 'profile'> = {
  [R in SectionRuleName as Schemas[R]['section']]: Schemas[R][P];
};

/** Returns the schema of each section of a check or of a profile. */
export function sectionsOf<P extends 'check' | 'profile'>(part: P): SectionSchemas<P> {
  return Object.fromEntries(ALL.map((rule) => [rule.section, rule[part]])) as SectionSchemas<P>;
}

type Joined<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer A) => void
  ? A
  : never;

/** Joins the members that the rules add to an explanation or to a remedy. */
export function membersOf<M extends 'facts' | 'remedy'>(
  part: M,
): Joined<(typeof PARTS)[RuleName][M]> {
  return Object.assign({}, ...ALL_PARTS.map((rule) => rule[part]));
}
