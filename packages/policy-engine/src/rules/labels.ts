import type { CheckRequest, Outcome, ReasonCode, RuleName } from '@gatehouse/contracts';
import { type Answer, type Facts, keptAnswer, type Rule, reasonOf, stricter } from '../rule.ts';

/** What a rule about labels says, and where it finds them. */
export interface LabelRule {
  readonly rule: RuleName;
  readonly section: 'pii' | 'legal';
  /** The member of the section that has them. */
  readonly list: 'categories' | 'flags';
  /** What people call one label, and several. */
  readonly nouns: readonly [singular: string, plural: string];
  readonly outcomes: Readonly<Record<string, Outcome>>;
  /** In which they are named. */
  readonly order: readonly string[];
  readonly codes: Readonly<Record<Outcome | 'unknown', ReasonCode>>;
  /** Undefined: the request has no such section. */
  readonly labelsOf: (request: CheckRequest) => readonly string[] | undefined;
  readonly missing: { readonly outcome: Outcome; readonly detail: string };
}

/** A rule that judges labels by their strictest outcome, in any order. */
export function labelRule(about: LabelRule): Rule {
  const { rule, labelsOf, missing } = about;
  const absent = keptAnswer(reasonOf(rule, missing.outcome, 'section_missing'), missing.detail);
  const answerTo = answers(about);
  return {
    answer: (request) => {
      const labels = labelsOf(request);
      return labels === undefined ? absent : answerTo(labels);
    },
    explain: (request) => factsOn(about, labelsOf(request)),
  };
}

/** Labels have few combinations (256 at most); each answer is made once. */
function answers(about: LabelRule): (labels: readonly string[]) => Answer {
  const { order } = about;
  const bits = new Map(order.map((label, place) => [label, 1 << place]));
  const unknown = 1 << order.length;
  const made = new Map<number, Answer>();
  return (labels) => {
    let combination = 0;
    for (const label of labels) combination |= bits.get(label) ?? unknown;
    const known = made.get(combination);
    if (known !== undefined) return known;
    const given = order.filter((_, place) => (combination & (1 << place)) !== 0);
    const answer = answerOn(about, given, (combination & unknown) !== 0);
    made.set(combination, answer);
    return answer;
  };
}

/** An unknown label counts as deny; only an unchecked request has one. */
function answerOn(about: LabelRule, given: readonly string[], anyUnknown: boolean): Answer {
  const { rule, nouns, codes, outcomes } = about;
  const section = { [about.section]: { [about.list]: given } };
  if (given.length === 0 && !anyUnknown)
    return keptAnswer(
      reasonOf(rule, 'allow', 'nothing_claimed'),
      `${nouns[1]}: none claimed.`,
      section,
    );
  const outcomeOf = (label: string): Outcome => outcomes[label] ?? 'deny';
  const strictest = given.map(outcomeOf).reduce(stricter, 'allow');
  const outcome = anyUnknown ? 'deny' : strictest;
  const code = outcome === strictest ? codes[outcome] : codes.unknown;
  return keptAnswer(reasonOf(rule, outcome, code), detailOf(about, outcome, given), section);
}

const VERDICTS = {
  allow: ['is allowed', 'are allowed'],
  require_approval: ['needs approval', 'need approval'],
  deny: ['is denied', 'are denied'],
} as const;

/** Names the labels that decide first, then the others. */
function detailOf({ nouns, outcomes }: LabelRule, outcome: Outcome, given: readonly string[]) {
  const decides = (label: string) => (outcomes[label] ?? 'deny') === outcome;
  const decisive = given.filter(decides);
  if (decisive.length === 0) return `${nouns[1]} include an unknown one, which is denied.`;
  const number = decisive.length === 1 ? 0 : 1;
  const verdict = `${nouns[number]} ${inWords(decisive)} ${VERDICTS[outcome][number]}`;
  const others = given.filter((label) => !decides(label));
  return others.length === 0 ? `${verdict}.` : `${verdict}; also claimed: ${others.join(', ')}.`;
}

/** `a, b and c` */
const inWords = (labels: readonly string[]) => labels.join(', ').replace(/, (?=[^,]*$)/, ' and ');

/** Each label of a request with its outcome, and those to do without. */
function factsOn({ list, outcomes }: LabelRule, labels?: readonly string[]): Facts {
  if (labels === undefined) return {};
  const known = new Map(Object.entries(outcomes));
  const each = [...new Set(labels)].map((label) => [label, known.get(label) ?? 'deny'] as const);
  const notAllowed = each.filter(([, outcome]) => outcome !== 'allow').map(([label]) => label);
  const facts = { [list]: Object.fromEntries(each) };
  return notAllowed.length === 0 ? facts : { ...facts, remedy: { [`drop_${list}`]: notAllowed } };
}
