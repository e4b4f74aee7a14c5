export type { Profile, ProfileSource } from '@gatehouse/contracts';
export type { SeenAction } from './actions/http-action.ts';
export { showActions } from './actions/show.ts';
export { CHECK_FORMATS, type Check, readCheck } from './check.ts';
export {
  allowedInstead,
  checkPolicy,
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
export { decisionRecord } from './record.ts';
export { RULE_TABLE } from './rules/table.ts';
