import {
  type Decision,
  LEGAL_FLAGS,
  PII_CATEGORIES,
  type Profile,
  type ReasonCode,
  type Remedy,
  strictest,
} from '@gatehouse/contracts';
import type { Rule, RuleResult } from './rule.ts';

const CATEGORY_OUTCOMES: Profile['pii']['categories'] = {
  basic_contact: 'allow',
  location: 'allow',
  financial: 'require_approval',
  health: 'require_approval',
  biometric: 'deny',
  government_id: 'deny',
  other: 'allow',
};

const CATEGORIES: LabelKind = {
  singular: 'PII category',
  plural: 'PII categories',
  known: PII_CATEGORIES,
  codes: {
    allow: 'categories_allowed',
    require_approval: 'category_needs_approval',
    deny: 'category_denied',
    unknown: 'category_unknown',
  },
  toFacts: (categories) => ({ categories }),
  toRemedy: (drop_categories) => ({ drop_categories }),
};

/** Returns the strictest outcome of a request's PII categories (`policy-service.md` section 4). */
export const piiGuardrail: Rule<'pii'> = {
  complete: ({ categories, missing = 'require_approval' }) => {
    return { categories: { ...CATEGORY_OUTCOMES, ...categories }, missing };
  },
  missing: 'The request has no pii section, so the personal data involved is unknown.',
  compile: (settings) => (pii) => evaluateLabels(pii.categories, settings.categories, CATEGORIES),
  allows: ({ remedy }) => allowedWithout(remedy?.drop_categories),
  record: ({ categories }) => {
    return { categories: PII_CATEGORIES.filter((each) => categories.includes(each)) };
  },
  join: (claimed, stated) => {
    return { categories: [...claimed.categories, ...stated.categories] };
  },
  show: ({ categories }) => Object.entries(categories),
  compare: (before, after) =>
    PII_CATEGORIES.map((what) => {
      return { what, from: before.categories[what], to: after.categories[what] };
    }),
};

const FLAG_OUTCOMES: Profile['legal']['flags'] = {
  prohibited_content: 'deny',
  requires_review: 'require_approval',
  terms_unknown: 'require_approval',
  export_controlled: 'require_approval',
  other: 'allow',
};

const FLAGS: LabelKind = {
  singular: 'Legal flag',
  plural: 'Legal flags',
  known: LEGAL_FLAGS,
  codes: {
    allow: 'flags_allowed',
    require_approval: 'flag_needs_approval',
    deny: 'flag_denied',
    unknown: 'flag_unknown',
  },
  toFacts: (flags) => ({ flags }),
  toRemedy: (drop_flags) => ({ drop_flags }),
};

/** Returns the strictest outcome of a request's legal flags (`policy-service.md` section 4). */
export const legalCompliance: Rule<'legal'> = {
  complete: ({ flags, missing = 'require_approval' }) => {
    return { flags: { ...FLAG_OUTCOMES, ...flags }, missing };
  },
  missing: 'The request has no legal section, so its legal flags are unknown.',
  compile: (settings) => (legal) => evaluateLabels(legal.flags, settings.flags, FLAGS),
  allows: ({ remedy }) => allowedWithout(remedy?.drop_flags),
  record: ({ flags }) => ({ flags: LEGAL_FLAGS.filter((each) => flags.includes(each)) }),
  join: (claimed, stated) => ({ flags: [...claimed.flags, ...stated.flags] }),
  show: ({ flags }) => Object.entries(flags),
  compare: (before, after) =>
    LEGAL_FLAGS.map((what) => ({ what, from: before.flags[what], to: after.flags[what] })),
};

interface LabelKind {
  readonly singular: string;
  readonly plural: string;
  /** All known PII categories or legal flags, in the order in which `detail` lists them. */
  readonly known: readonly string[];
  readonly codes: Readonly<Record<Decision | 'unknown', ReasonCode>>;
  readonly toFacts: (outcomes: Record<string, Decision>) => RuleResult['facts'];
  readonly toRemedy: (notAllowed: string[]) => Remedy;
}

function allowedWithout(labels: readonly string[] = []): string | undefined {
  return labels.length === 0 ? undefined : `an action that does not involve ${labels.join(', ')}`;
}

/** Returns the strictest of the labels' outcomes. An unknown label gets the outcome `deny`. */
function evaluateLabels(
  labels: readonly string[],
  settings: Readonly<Record<string, Decision>>,
  kind: LabelKind,
): RuleResult {
  const outcomes = new Map<string, Decision>();
  for (const label of labels)
    outcomes.set(label, (kind.known.includes(label) && settings[label]) || 'deny');
  const outcome = strictest([...outcomes.values()]);
  const notAllowed = [...outcomes.keys()].filter((label) => outcomes.get(label) !== 'allow');
  const claims = kind.toFacts(Object.fromEntries(outcomes));
  const facts = notAllowed.length === 0 ? claims : { ...claims, remedy: kind.toRemedy(notAllowed) };

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
