import type { CheckRequest, Profile } from '@gatehouse/contracts';
import { formatMoney } from '../money.ts';
import { type Limits, limitsByCode } from '../profile/spend-limits.ts';
import {
  answerOf,
  type Facts,
  keptAnswer,
  type Reason,
  type Rule,
  type RuleReason,
  reasonOf,
} from '../rule.ts';

const RULE = 'spend_limit';

const NOT_EXACT = reasonOf(RULE, 'deny', 'amount_not_exact');
const ABOVE_CEILING = reasonOf(RULE, 'deny', 'amount_above_ceiling');
const WITHIN = reasonOf(RULE, 'allow', 'within_limit');
const ABOVE_LIMIT = reasonOf(RULE, 'require_approval', 'amount_above_limit');

type Spend = NonNullable<CheckRequest['spend']>;

/**
 * The spend guardrail (spec section 4), in this order:
 * 1. no section: what the profile says, which is never allow;
 * 2. no exact amount in a known currency: deny (only an unchecked request gets here);
 * 3. above the ceiling: deny, whatever the user's limit;
 * 4. up to the limit: allow;
 * 5. between the two, ceiling included: require_approval.
 */
export function spendLimit({ spend: profile }: Profile): Rule {
  const limitsFor = limitsByCode(profile);
  const missing = keptAnswer(reasonOf(RULE, profile.missing, 'section_missing'), NO_SECTION);
  return {
    answer: ({ spend }) => {
      if (spend == null) return missing;
      const limits = limitsFor(spend.currency);
      const reason = judgeSpend(spend, limits);
      // Without a section: amounts are not for every log.
      return answerOf(reason, detailOf(reason.code, spend, limits));
    },
    explain: ({ spend }, { code }) =>
      spend == null ? {} : explainSpend(code, spend, limitsFor(spend.currency)),
  };
}

function judgeSpend(spend: Spend, limits: Limits | undefined): RuleReason {
  const { amount_minor_units: amount, user_limit_minor_units: own } = spend;
  if (limits === undefined || !isMinorUnits(amount)) return NOT_EXACT;
  if (own != null && !isMinorUnits(own)) return NOT_EXACT;
  if (!(amount <= limits.ceiling)) return ABOVE_CEILING;
  return amount <= limitOf(spend, limits) ? WITHIN : ABOVE_LIMIT;
}

/** The profile's limit, or the user's as far as the profile lets it count. */
function limitOf({ user_limit_minor_units: own }: Spend, { limit, maxUserLimit }: Limits): number {
  if (own == null) return limit;
  return lesser(own, maxUserLimit);
}

const NO_SECTION = 'No spend section: what the action costs is unknown.';
const NOT_EXACT_DETAIL = 'Amount and limit must be whole minor units of a currency of ISO 4217.';

function detailOf(code: Reason['code'], spend: Spend, limits: Limits | undefined): string {
  if (limits === undefined || code === NOT_EXACT.code) return NOT_EXACT_DETAIL;
  const { currency, ceiling } = limits;
  const amount = formatMoney(spend.amount_minor_units, currency);
  if (code === ABOVE_CEILING.code)
    return `${amount} is above the ceiling of ${formatMoney(ceiling, currency)}.`;
  const limit = formatMoney(limitOf(spend, limits), currency);
  if (code === WITHIN.code) return `${amount} is within the limit of ${limit}.`;
  return `${amount} is above the limit of ${limit} and needs approval.`;
}

function explainSpend(code: Reason['code'], spend: Spend, limits: Limits | undefined): Facts {
  if (limits === undefined || code === NOT_EXACT.code) return {};
  const limit = limitOf(spend, limits);
  const facts = {
    currency: limits.currency.code,
    amount_minor_units: spend.amount_minor_units,
    limit_minor_units: limit,
    ceiling_minor_units: limits.ceiling,
  };
  if (code === WITHIN.code) return facts;
  return { ...facts, remedy: { max_amount_minor_units: lesser(limit, limits.ceiling) } };
}

/** Without `Math`, which holds randomness. */
function lesser(a: number, b: number): number {
  if (a < b) return a;
  return b;
}

function isMinorUnits(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
