import type {
  CheckRequest,
  Outcome,
  ReasonCode,
  RuleExplanation,
  RuleName,
} from '@gatehouse/contracts';

/** Why a rule gives an outcome. */
export interface Reason {
  readonly outcome: Outcome;
  readonly code: ReasonCode;
}

/** A reason of one rule; there is one object for each. */
export interface RuleReason extends Reason {
  readonly rule: RuleName;
  /** Unique, from 1: its digit in the key of a combination of reasons. */
  readonly place: number;
  /** How its entry in a response begins, in JSON. */
  readonly opening: string;
}

const reasons = new Map<string, RuleReason>();

export function reasonOf(rule: RuleName, outcome: Outcome, code: ReasonCode): RuleReason {
  const key = `${rule} ${outcome} ${code}`;
  const known = reasons.get(key);
  if (known !== undefined) return known;
  const opening = `{"rule":"${rule}","outcome":"${outcome}","detail":`;
  const reason = Object.freeze({ rule, outcome, code, place: reasons.size + 1, opening });
  reasons.set(key, reason);
  return reason;
}

/** What a rule says of a request, and its texts in JSON: most answers are kept. */
export interface Answer {
  readonly reason: RuleReason;
  /** The reason as a sentence for people. */
  readonly detail: string;
  /** The entry of a response in JSON. */
  readonly entry: string;
  /** What a record says of the section that was judged: a member in JSON behind a comma, or ''. */
  readonly section: string;
}

/** An answer that requests share: none of them can change it. */
export const keptAnswer = (...of: Parameters<typeof answerOf>): Answer =>
  Object.freeze(answerOf(...of));

/** INVARIANT: a section has a member; an empty one would leave a comma. */
export function answerOf(reason: RuleReason, detail: string, section?: object): Answer {
  return {
    reason,
    detail,
    entry: `${reason.opening}${JSON.stringify(detail)}}`,
    section: section === undefined ? '' : `,${JSON.stringify(section).slice(1, -1)}`,
  };
}

/** What was compared, and what would be allowed. */
export type Facts = Omit<RuleExplanation, 'rule' | 'code'>;

/** A rule of one profile. */
export interface Rule {
  /** Undefined: it has no entry in the response. */
  readonly answer: (request: CheckRequest) => Answer | undefined;
  /** About the reason of its answer. */
  readonly explain: (request: CheckRequest, reason: Reason) => Facts;
}

/**
 * The stricter of two outcomes: deny, then require_approval, then allow (spec section 1).
 * Anything else counts as deny.
 */
export function stricter(a: Outcome, b: Outcome): Outcome {
  if (!isLenient(a) || !isLenient(b)) return 'deny';
  return a === 'allow' ? b : a;
}

function isLenient(outcome: Outcome): boolean {
  return outcome === 'allow' || outcome === 'require_approval';
}
