export { type CheckResult, checkPolicy, validateCheckRequest } from './check.ts';
export { compileProfile, InvalidProfile } from './compile.ts';
export { evaluatePolicy } from './evaluate.ts';
export { CURRENCY_CODES } from './money.ts';
export {
  defaultProfile,
  type LabelOutcomes,
  type Profile,
  type ScopeNames,
  type SpendLimits,
} from './profile.ts';
