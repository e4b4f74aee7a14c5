import type { CheckRequest, Decision, ReasonCode, RuleExplanation } from '@gatehouse/contracts';
import type { CompiledProfile } from './profile/compile.ts';

/** Applies a profile to a request. Undefined: the response has no entry for this rule. */
export type Rule = (request: CheckRequest, profile: CompiledProfile) => RuleResult | undefined;

/** What one rule says about a request. */
export interface RuleResult {
  readonly outcome: Decision;
  /** The reason, for programs. */
  readonly code: ReasonCode;
  /** The reason as a sentence, for people. */
  readonly detail: string;
  /** What was compared, and what would be allowed. */
  readonly facts: Omit<RuleExplanation, 'rule' | 'code'>;
}

export function sectionMissing(outcome: Decision, detail: string): RuleResult {
  return { outcome, code: 'section_missing', detail, facts: {} };
}

/** Deny if any outcome denies; allow only if every one allows (spec section 1). */
export function strictest(outcomes: readonly Decision[]): Decision {
  if (outcomes.includes('deny')) return 'deny';
  return outcomes.every((outcome) => outcome === 'allow') ? 'allow' : 'require_approval';
}
