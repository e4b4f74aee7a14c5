import type { Decision, ReasonCode } from '@gatehouse/contracts';
import { type RuleResult, strictest } from '../rule.ts';

/** What sets one rule about labels apart from the other. */
export interface LabelKind {
  /** What people call one label, and several. */
  readonly nouns: readonly [singular: string, plural: string];
  /** Every known label, in the order in which a detail names them. */
  readonly known: readonly string[];
  readonly codes: Readonly<Record<Decision | 'unknown', ReasonCode>>;
  /** `drop` are the labels that are not allowed. */
  readonly factsOf: (outcomes: Record<string, Decision>, drop: string[]) => RuleResult['facts'];
}

/**
 * Judges labels by the strictest of them, in whatever order they come. An unknown label is
 * denied; only a request that was not validated has one.
 */
export function judgeLabels(
  labels: readonly string[],
  profile: Readonly<Record<string, Decision>>,
  { nouns, known, codes, factsOf }: LabelKind,
): RuleResult {
  const outcomeOf = (label: string) =>
    known.includes(label) ? (profile[label] ?? 'deny') : 'deny';
  const outcomes: Record<string, Decision> = Object.create(null);
  const drop: string[] = [];
  for (const label of new Set(labels)) {
    outcomes[label] = outcomeOf(label);
    if (outcomes[label] !== 'allow') drop.push(label);
  }
  const facts = factsOf(outcomes, drop);
  if (labels.length === 0) {
    const detail = `${nouns[1]}: none claimed.`;
    return { outcome: 'allow', code: 'nothing_claimed', detail, facts };
  }
  const outcome = strictest(drop.map(outcomeOf));
  const decisive = known.filter((label) => outcomes[label] === outcome);
  if (decisive.length === 0) {
    const detail = `${nouns[1]} include an unknown one, which is denied.`;
    return { outcome, code: codes.unknown, detail, facts };
  }
  const others = known.filter((label) => label in outcomes && outcomes[label] !== outcome);
  const also = others.length === 0 ? '' : `; also claimed: ${others.join(', ')}`;
  const detail = `${verdictOn(decisive, outcome, nouns)}${also}.`;
  return { outcome, code: codes[outcome], detail, facts };
}

const VERDICTS = {
  allow: ['is allowed', 'are allowed'],
  require_approval: ['needs approval', 'need approval'],
  deny: ['is denied', 'are denied'],
} as const;

/** `PII categories financial and health need approval` */
function verdictOn(
  labels: readonly string[],
  outcome: Decision,
  nouns: LabelKind['nouns'],
): string {
  const [singular, plural] = VERDICTS[outcome];
  const last = labels.at(-1);
  if (labels.length === 1) return `${nouns[0]} ${last} ${singular}`;
  return `${nouns[1]} ${labels.slice(0, -1).join(', ')} and ${last} ${plural}`;
}
