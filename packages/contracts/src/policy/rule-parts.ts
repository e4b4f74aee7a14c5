import { RULE_SCHEMAS } from './rules.ts';

type Schemas = typeof RULE_SCHEMAS;
export type RuleName = keyof Schemas;
/** Names of the sections of a check and of a profile, such as `spend`. */
export type Section = Schemas[RuleName]['section'];

/** Names of the rules, in the order in which a response lists them. */
export const RULES = Object.keys(RULE_SCHEMAS) as readonly RuleName[];

/** Rules that a profile can leave out of the response to a check without their section. */
export const OPTIONAL_RULES = RULES.filter((name) =>
  RULE_SCHEMAS[name].profile.properties.missing.enum.includes('no_entry'),
);

const ALL = Object.values(RULE_SCHEMAS);

export type ReasonCode = 'section_missing' | 'approved' | Schemas[RuleName]['codes'][number];
export const REASON_CODES: readonly ReasonCode[] = [
  ...new Set([
    'section_missing' as const,
    'approved' as const,
    ...ALL.flatMap(({ codes }) => codes),
  ]),
];

export type SectionSchemas<P extends 'check' | 'profile'> = {
  [R in RuleName as Schemas[R]['section']]: Schemas[R][P];
};

/** Returns the schema of each section of a check or of a profile. */
export function sectionsOf<P extends 'check' | 'profile'>(part: P): SectionSchemas<P> {
  return Object.fromEntries(ALL.map((rule) => [rule.section, rule[part]])) as SectionSchemas<P>;
}

type Joined<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer A) => void
  ? A
  : never;

/** Joins the members that the rules add to an explanation or to a remedy. */
export function membersOf<M extends 'facts' | 'remedy'>(part: M): Joined<Schemas[RuleName][M]> {
  return Object.assign({}, ...ALL.map((rule) => rule[part]));
}
