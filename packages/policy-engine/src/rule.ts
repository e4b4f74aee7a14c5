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

/** A reason of one rule, made once for all requests. */
export interface RuleReason extends Reason {
  /** The member of a record in JSON, made in advance since records are made for every request. */
  readonly member: string;
}

/** What `Rule.section` gives, of an object with this one member. */
export function sectionText(section: object): string {
  return `,${JSON.stringify(section).slice(1, -1)}`;
}

export function reasonOf(rule: RuleName, outcome: Outcome, code: ReasonCode): RuleReason {
  return { outcome, code, member: `"${rule}":${JSON.stringify({ outcome, code })}` };
}

/** What was compared, and what would be allowed. */
export type Facts = Omit<RuleExplanation, 'rule' | 'code'>;

/** A rule of one profile. Undefined: it has no entry in the answer. */
export interface Rule {
  readonly rule: RuleName;
  readonly judge: (request: CheckRequest) => RuleReason | undefined;
  /** The reason that `judge` gave, as a sentence for people. */
  readonly detail: (request: CheckRequest, reason: RuleReason) => string;
  /** What a record says of the section that was judged: a member in JSON behind a comma, or ''. */
  readonly section: (request: CheckRequest) => string;
  readonly explain: (request: CheckRequest, reason: RuleReason) => Facts;
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
