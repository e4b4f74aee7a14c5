export type { Profile, ProfileSource } from '@gatehouse/contracts';
export { CHECK_FORMATS, type Check, readCheck } from './check.ts';
export {
  allowedInstead,
  checkPolicy,
  decisionRecord,
  type Evaluation,
  evaluate,
  toExplanation,
  toResponse,
} from './evaluate.ts';
export { CURRENCY_CODES, type Currency, findCurrency, formatMoney } from './money.ts';
export {
  type CompiledProfile,
  compileProfile,
  completeProfile,
  defaultProfile,
  InvalidProfile,
} from './profile.ts';
export { RULE_TABLE } from './rules/table.ts';
