import type { CheckRequest, Decision, ReasonCode, RuleExplanation } from '@gatehouse/contracts';
import type { CompiledProfile } from './profile/compile.ts';

/** Applies a rule to a request. Returns `undefined` if the response should not list the rule. */
export type Rule = (request: CheckRequest, profile: CompiledProfile) => RuleResult | undefined;

export interface RuleResult {
  readonly outcome: Decision;
  readonly code: ReasonCode;
  readonly detail: string;
  readonly facts: Omit<RuleExplanation, 'rule' | 'code'>;
}

export function sectionMissing(outcome: Decision, detail: string): RuleResult {
  return { outcome, code: 'section_missing', detail, facts: {} };
}
