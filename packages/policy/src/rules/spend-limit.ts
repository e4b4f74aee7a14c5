import type { CheckRequest, Profile } from '@gatehouse/contracts';
import { type Currency, findCurrency, formatMoney } from '../money.ts';
import { type Rule, sectionMissing } from '../rule.ts';

const MISSING = 'The request has no spend section, so the cost of the action is unknown.';
const NOT_EXACT =
  'The amount and the limit must be whole numbers of minor units of an ISO 4217 currency.';

/**
 * Applies the first case that fits (`policy-service.md` section 4):
 * 1. A request without `spend` gets the outcome `spend.missing` from the profile.
 * 2. If the request was not validated, an unknown currency or an invalid amount is denied.
 * 3. An amount above the ceiling is denied, even if the user's limit is higher.
 * 4. An amount above the limit, but not above the ceiling, needs approval.
 * 5. Any other amount is allowed.
 */
export const spendLimit: Rule = ({ spend }, { profile }) => {
  if (spend == null) return sectionMissing(profile.spend.missing, MISSING);
  const limits = limitsOf(profile, spend.currency);
  if (limits === undefined || !isExact(spend))
    return { outcome: 'deny', code: 'amount_not_exact', detail: NOT_EXACT, facts: {} };

  const { currency, ceiling, maxUserLimit } = limits;
  const amount = spend.amount_minor_units;
  const asked = spend.user_limit_minor_units ?? limits.limit;
  // A limit above the ceiling is harmless, because amounts above the ceiling are denied anyway.
  const limit = maxUserLimit < ceiling ? lesser(asked, maxUserLimit) : asked;
  const money = (minorUnits: number) => formatMoney(minorUnits, currency);
  const facts = {
    currency: currency.code,
    amount_minor_units: amount,
    limit_minor_units: limit,
    ceiling_minor_units: ceiling,
  };
  if (amount > ceiling) {
    const detail = `${money(amount)} is above the ceiling of ${money(ceiling)}.`;
    const remedy = { max_amount_minor_units: lesser(limit, ceiling) };
    return { outcome: 'deny', code: 'amount_above_ceiling', detail, facts: { ...facts, remedy } };
  }
  if (amount > limit) {
    const detail = `${money(amount)} is above the limit of ${money(limit)} and needs approval.`;
    const remedied = { ...facts, remedy: { max_amount_minor_units: limit } };
    return { outcome: 'require_approval', code: 'amount_above_limit', detail, facts: remedied };
  }
  const detail = `${money(amount)} is within the limit of ${money(limit)}.`;
  return { outcome: 'allow', code: 'within_limit', detail, facts };
};

/** Returns the smaller number. Lint rules ban `Math` in this package because of `Math.random`. */
function lesser(a: number, b: number): number {
  if (a < b) return a;
  return b;
}

function isExact(spend: NonNullable<CheckRequest['spend']>): boolean {
  return [spend.amount_minor_units, spend.user_limit_minor_units ?? 0].every(
    (units) => Number.isSafeInteger(units) && units >= 0,
  );
}

/** Spending limits for one currency, in its minor units, such as cents. */
interface Limits {
  readonly currency: Currency;
  readonly limit: number;
  readonly ceiling: number;
  /** Highest limit that a request can set with `user_limit_minor_units`. */
  readonly maxUserLimit: number;
}

/**
 * Returns the spending limits for a currency, or `undefined` if `findCurrency` finds no currency.
 * A currency without limits of its own gets the profile's general limits, such as 100 major units.
 */
export function limitsOf({ spend }: Profile, code: string): Limits | undefined {
  const currency = findCurrency(code);
  if (currency === undefined) return undefined;
  const { minorPerMajor } = currency;
  const own = spend.currencies[currency.code];
  const limit = own?.limit_minor_units ?? spend.limit_major_units * minorPerMajor;
  const ceiling = own?.ceiling_minor_units ?? spend.ceiling_major_units * minorPerMajor;
  const most = own?.max_user_limit_minor_units ?? spend.max_user_limit_major_units * minorPerMajor;
  // A maximum of 0 for user limits means that callers cannot raise the default spending limit.
  return { currency, limit, ceiling, maxUserLimit: most === 0 ? limit : most };
}
