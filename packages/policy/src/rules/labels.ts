import {
  type Decision,
  LEGAL_FLAGS,
  PII_CATEGORIES,
  type ReasonCode,
  strictest,
} from '@gatehouse/contracts';
import type { Rule, RuleResult } from './rule.ts';

/** Applies the strictest outcome of a check's PII categories (`policy-service.md` section 4). */
export const piiGuardrail: Rule<'pii'> = labelRule('categories', {
  missing: 'The request has no pii section, so the personal data involved is unknown.',
  singular: 'PII category',
  plural: 'PII categories',
  known: PII_CATEGORIES,
  codes: {
    allow: 'categories_allowed',
    require_approval: 'category_needs_approval',
    deny: 'category_denied',
    unknown: 'category_unknown',
  },
  defaults: {
    basic_contact: 'allow',
    location: 'allow',
    financial: 'require_approval',
    health: 'require_approval',
    biometric: 'deny',
    government_id: 'deny',
    other: 'allow',
  },
});

/** Applies the strictest outcome of a check's legal flags (`policy-service.md` section 4). */
export const legalCompliance: Rule<'legal'> = labelRule('flags', {
  missing: 'The request has no legal section, so its legal flags are unknown.',
  singular: 'Legal flag',
  plural: 'Legal flags',
  known: LEGAL_FLAGS,
  codes: {
    allow: 'flags_allowed',
    require_approval: 'flag_needs_approval',
    deny: 'flag_denied',
    unknown: 'flag_unknown',
  },
  defaults: {
    prohibited_content: 'deny',
    requires_review: 'require_approval',
    terms_unknown: 'require_approval',
    export_controlled: 'require_approval',
    other: 'allow',
  },
});

type Outcomes<Label extends string = string> = Readonly<Record<Label, Decision>>;

interface LabelKind<Label extends string = string> {
  /** `detail` of a check without the section. */
  readonly missing: string;
  readonly singular: string;
  readonly plural: string;
  /** All known PII categories or legal flags, in the order in which `detail` lists them. */
  readonly known: readonly Label[];
  readonly codes: Readonly<Record<Decision | 'unknown', ReasonCode>>;
  readonly defaults: Outcomes<Label>;
}

/** Returns a rule on labels: a list in a check, and the outcome of each label in a profile. */
function labelRule<Member extends 'categories' | 'flags', Label extends string>(
  member: Member,
  kind: LabelKind<Label>,
) {
  type Claims = Record<Member, Label[]>;
  type Settings = Readonly<Record<Member, Outcomes<Label>>> & {
    missing: 'require_approval' | 'deny';
  };
  return {
    complete: (own: Partial<Settings>) =>
      ({
        [member]: { ...kind.defaults, ...own[member] },
        missing: own.missing ?? 'require_approval',
      }) as Settings,
    missing: kind.missing,
    compile: (settings: Settings) => (claims: Claims) =>
      evaluateLabels(claims[member], settings[member], member, kind),
    record: (claims: Claims) => ({ [member]: knownLabels(claims[member], kind) }),
    show: (settings: Settings) => Object.entries<Decision>(settings[member]),
    compare: (before: Settings, after: Settings) =>
      kind.known.map((what) => ({ what, from: before[member][what], to: after[member][what] })),
  };
}

/** Returns the strictest of the labels' outcomes. An unknown label gets the outcome `deny`. */
function evaluateLabels(
  labels: readonly string[],
  settings: Outcomes,
  member: string,
  kind: LabelKind,
): RuleResult {
  const outcomes = new Map<string, Decision>();
  for (const label of labels)
    outcomes.set(label, (kind.known.includes(label) && settings[label]) || 'deny');
  const outcome = strictest([...outcomes.values()]);
  const notAllowed = [...outcomes.keys()].filter((label) => outcomes.get(label) !== 'allow');
  const facts = {
    [member]: Object.fromEntries(outcomes),
    ...(notAllowed.length > 0 && { remedy: { [`drop_${member}`]: notAllowed } }),
  };

  if (labels.length === 0) {
    const detail = `${kind.plural}: none claimed.`;
    return { outcome, code: 'nothing_claimed', detail, facts };
  }

  const claimed = knownLabels(labels, kind);
  const decisive = claimed.filter((label) => outcomes.get(label) === outcome);
  if (decisive.length === 0) {
    const detail = `${kind.plural} include an unknown value, so the action is denied.`;
    return { outcome, code: kind.codes.unknown, detail, facts };
  }

  const others = claimed.filter((label) => outcomes.get(label) !== outcome);
  const also = others.length === 0 ? '' : `; the request also lists: ${others.join(', ')}`;
  const detail = `${verdictOn(decisive, outcome, kind)}${also}.`;
  return { outcome, code: kind.codes[outcome], detail, facts };
}

/** Returns each known label of a check once. */
function knownLabels(labels: readonly string[], { known }: LabelKind): string[] {
  return known.filter((label) => labels.includes(label));
}

const VERDICTS = {
  allow: ['is allowed', 'are allowed'],
  require_approval: ['needs approval', 'need approval'],
  deny: ['is denied', 'are denied'],
} as const;

/** Returns text such as `PII categories financial and health need approval`. */
function verdictOn(labels: readonly string[], outcome: Decision, kind: LabelKind): string {
  const [one, several] = VERDICTS[outcome];
  const last = labels.at(-1);
  if (labels.length === 1) return `${kind.singular} ${last} ${one}`;
  return `${kind.plural} ${labels.slice(0, -1).join(', ')} and ${last} ${several}`;
}
