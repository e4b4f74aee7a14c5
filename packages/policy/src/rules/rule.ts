import type {
  CheckRequest,
  Decision,
  Profile,
  ProfileSource,
  ReasonCode,
  RuleExplanation,
  Section,
  Violation,
} from '@gatehouse/contracts';

/** Behavior of the rule that reads section `S`. Claims are the members of the check's section. */
export interface Rule<S extends Section = Section> {
  /** Adds the default of each setting that a profile file omits. */
  complete(own: NonNullable<ProfileSource[S]>): Profile[S];
  /** Finds mistakes that the schema cannot catch. Pointers start at the section. */
  contradictions?(settings: Profile[S]): Violation[];
  /** `detail` of a check without the section. The setting `missing` is the outcome. */
  readonly missing: string;
  /** Prepares the settings once per profile, and returns a function that applies the rule. */
  compile(settings: Profile[S]): (claims: Claims<S>) => RuleResult;
  /** Puts the remedy in an explanation into words that complete "the rule would allow …". */
  allows(explained: Explained): string | undefined;
  /**
   * Returns the claims as the log shows them: without secrets, but with the same outcome, because
   * `gatehouse diff` evaluates them again. Returns undefined for amounts unless `withAmounts`.
   */
  record(claims: Claims<S>, withAmounts: boolean): Claims<S> | undefined;
  /**
   * Joins what the caller claims with what the profile states, so that the result gets the outcome
   * that was decided. Absent if a profile cannot state the section.
   */
  join?(claimed: Claims<S>, stated: Claims<S>, statementDecided: boolean): Claims<S>;
  /** Lists the outcome of each label, scope or other value that the settings name. */
  show(settings: Profile[S]): (readonly [what: string, outcome: Decision])[];
  /** Lists the same outcomes under two profiles. May include outcomes that stay the same. */
  compare(before: Profile[S], after: Profile[S]): Comparison[];
  /** Limits on amounts, which profiles show and compare separately from outcomes. */
  readonly limits?: {
    /** Rows with a currency, the limit, the highest user limit and the ceiling. */
    show(settings: Profile[S]): string[][];
    compare(before: Profile[S], after: Profile[S]): LimitComparison[];
  };
}

export type Claims<S extends Section> = NonNullable<CheckRequest[S]>;

/** Explanation of a rule's outcome, without the rule's name. */
export type Explained = Omit<RuleExplanation, 'rule' | 'code'>;

export interface RuleResult {
  readonly outcome: Decision;
  readonly code: ReasonCode;
  readonly detail: string;
  readonly facts: Explained;
}

export interface Comparison<Value = Decision> {
  readonly what: string;
  readonly from: Value;
  readonly to: Value;
}

export interface LimitComparison extends Comparison<number> {
  readonly shown: (amount: number) => string;
}
