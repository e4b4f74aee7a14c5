import {
  type Decision,
  LEGAL_FLAGS,
  PII_CATEGORIES,
  type ReasonCode,
  type Remedy,
} from '@gatehouse/contracts';
import { type Rule, type RuleResult, sectionMissing, strictest } from '../rule.ts';

/** The personal data guardrail (spec section 4): the strictest category decides. */
export const piiGuardrail: Rule = ({ pii }, { profile }) => {
  if (pii == null) return sectionMissing(profile.pii.missing, NO_PII);
  return judgeLabels(pii.categories, profile.pii.categories, CATEGORIES);
};

/** The legal guardrail (spec section 4): the strictest flag decides. */
export const legalCompliance: Rule = ({ legal }, { profile }) => {
  if (legal == null) return sectionMissing(profile.legal.missing, NO_LEGAL);
  return judgeLabels(legal.flags, profile.legal.flags, FLAGS);
};

const NO_PII = 'No pii section: which personal data is touched is unknown.';
const NO_LEGAL = 'No legal section: the legal standing is unknown.';

/** How categories differ from flags. */
interface LabelKind {
  readonly singular: string;
  readonly plural: string;
  /** Every known label, in the order in which a detail names them. */
  readonly known: readonly string[];
  readonly codes: Readonly<Record<Decision | 'unknown', ReasonCode>>;
  readonly factsOf: (outcomes: Record<string, Decision>) => RuleResult['facts'];
  readonly remedyOf: (notAllowed: string[]) => Remedy;
}

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
  factsOf: (categories) => ({ categories }),
  remedyOf: (drop_categories) => ({ drop_categories }),
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
  factsOf: (flags) => ({ flags }),
  remedyOf: (drop_flags) => ({ drop_flags }),
};

/**
 * Judges labels by the strictest of them, in whatever order they come. An unknown label is
 * denied; only a request that was not validated has one.
 */
function judgeLabels(
  labels: readonly string[],
  profile: Readonly<Record<string, Decision>>,
  kind: LabelKind,
): RuleResult {
  const outcomes: Record<string, Decision> = Object.create(null);
  for (const label of labels)
    outcomes[label] = kind.known.includes(label) ? (profile[label] ?? 'deny') : 'deny';
  const outcome = strictest(Object.values(outcomes));
  const notAllowed = Object.keys(outcomes).filter((label) => outcomes[label] !== 'allow');
  const facts = {
    ...kind.factsOf(outcomes),
    ...(notAllowed.length > 0 && { remedy: kind.remedyOf(notAllowed) }),
  };
  if (labels.length === 0) {
    const detail = `${kind.plural}: none claimed.`;
    return { outcome, code: 'nothing_claimed', detail, facts };
  }
  const claimed = kind.known.filter((label) => label in outcomes);
  const decisive = claimed.filter((label) => outcomes[label] === outcome);
  if (decisive.length === 0) {
    const detail = `${kind.plural} include an unknown one, which is denied.`;
    return { outcome, code: kind.codes.unknown, detail, facts };
  }
  const others = claimed.filter((label) => outcomes[label] !== outcome);
  const also = others.length === 0 ? '' : `; also claimed: ${others.join(', ')}`;
  const detail = `${verdictOn(decisive, outcome, kind)}${also}.`;
  return { outcome, code: kind.codes[outcome], detail, facts };
}

const VERDICTS = {
  allow: ['is allowed', 'are allowed'],
  require_approval: ['needs approval', 'need approval'],
  deny: ['is denied', 'are denied'],
} as const;

/** `PII categories financial and health need approval` */
function verdictOn(labels: readonly string[], outcome: Decision, kind: LabelKind): string {
  const [one, several] = VERDICTS[outcome];
  const last = labels.at(-1);
  if (labels.length === 1) return `${kind.singular} ${last} ${one}`;
  return `${kind.plural} ${labels.slice(0, -1).join(', ')} and ${last} ${several}`;
}
