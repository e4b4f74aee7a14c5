export type { Profile, ProfileSource } from '@gatehouse/contracts';
export { decisionRecord } from './decision-record.ts';
export {
  CHECK_FORMATS,
  checkPolicy,
  type Evaluation,
  evaluate,
  toExplanation,
  toResponse,
  validateCheckRequest,
} from './evaluate.ts';
export { CURRENCY_CODES, type Currency, findCurrency, formatMoney } from './money.ts';
export { type CompiledProfile, compileProfile, InvalidProfile } from './profile/compile.ts';
export { completeProfile } from './profile/complete.ts';
export { defaultProfile } from './profile/default.ts';
export { limitsOf } from './rules/spend-limit.ts';
