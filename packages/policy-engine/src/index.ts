export type { Profile, ProfileSource } from '@gatehouse/contracts';
export { type CheckResult, checkPolicy, validateCheckRequest } from './check.ts';
export { type CompiledProfile, compileProfile } from './compile.ts';
export {
  evaluatePolicy,
  type Judgement,
  judgePolicy,
  responseOf,
  responseText,
} from './evaluate.ts';
export { explainPolicy } from './explain.ts';
export { CURRENCY_CODES, type Currency, findCurrency, formatMoney } from './money.ts';
export { completeProfile } from './profile/complete.ts';
export { defaultProfile } from './profile/default.ts';
export { InvalidProfile } from './profile/invalid-profile.ts';
export { type Limits, limitsOf } from './profile/spend-limits.ts';
export { type DecisionRecord, decisionRecord, decisionRecordMembers } from './record.ts';
export type { Answer, Reason, RuleReason } from './rule.ts';
export type { Ruling } from './ruling.ts';
