export type { Profile, ProfileSource } from '@gatehouse/contracts';
export {
  allowedInstead,
  CHECK_FORMATS,
  checkPolicy,
  decisionRecord,
  type Evaluation,
  evaluate,
  toExplanation,
  toResponse,
  validateCheckRequest,
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
