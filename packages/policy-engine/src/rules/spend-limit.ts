import type { CheckRequest, Profile } from '@gatehouse/contracts';
import { type Currency, findCurrency, formatMoney } from '../money.ts';
import { type Rule, sectionMissing } from '../rule.ts';

const MISSING = 'No spend section: what the action costs is unknown.';
const NOT_EXACT = 'Amount and limit must be whole minor units of a currency of ISO 4217.';

type Spend = NonNullable<CheckRequest['spend']>;

/**
 * The spend guardrail (spec section 4), in this order:
 * 1. no section: the profile's outcome for that, which is never allow;
 * 2. no exact amount in a known currency: deny (only a request that was not validated);
 * 3. above the ceiling: deny, whatever the user's limit;
 * 4. up to the limit: allow;
 * 5. between the two, ceiling included: require_approval.
 */
export const spendLimit: Rule = ({ spend }, { profile }) => {
  if (spend == null) return sectionMissing(profile.spend.missing, MISSING);
  const limits = limitsOf(profile, spend.currency);
  if (limits === undefined || !isExact(spend))
    return { outcome: 'deny', code: 'amount_not_exact', detail: NOT_EXACT, facts: {} };

  const { currency, ceiling } = limits;
  const { amount_minor_units } = spend;
  const limit = effectiveLimit(spend, limits);
  const facts = {
    currency: currency.code,
    amount_minor_units,
    limit_minor_units: limit,
    ceiling_minor_units: ceiling,
  };
  const amount = formatMoney(amount_minor_units, currency);
  const upTo = formatMoney(limit, currency);
  if (amount_minor_units > ceiling) {
    const detail = `${amount} is above the ceiling of ${formatMoney(ceiling, currency)}.`;
    const remedy = { max_amount_minor_units: lesser(limit, ceiling) };
    return { outcome: 'deny', code: 'amount_above_ceiling', detail, facts: { ...facts, remedy } };
  }
  if (amount_minor_units <= limit) {
    const detail = `${amount} is within the limit of ${upTo}.`;
    return { outcome: 'allow', code: 'within_limit', detail, facts };
  }
  return {
    outcome: 'require_approval',
    code: 'amount_above_limit',
    detail: `${amount} is above the limit of ${upTo} and needs approval.`,
    facts: { ...facts, remedy: { max_amount_minor_units: limit } },
  };
};

/** The profile's limit, or the user's as far as the profile lets it count. */
function effectiveLimit(spend: Spend, { limit, maxUserLimit }: Limits): number {
  return lesser(spend.user_limit_minor_units ?? limit, maxUserLimit);
}

/** Avoids `Math`, which the engine may not use because of its randomness. */
function lesser(a: number, b: number): number {
  if (a < b) return a;
  return b;
}

function isExact({ amount_minor_units, user_limit_minor_units }: Spend): boolean {
  return [amount_minor_units, user_limit_minor_units ?? 0].every(
    (units) => Number.isSafeInteger(units) && units >= 0,
  );
}

/** What a profile sets for one currency, in its minor units. */
export interface Limits {
  readonly currency: Currency;
  /** Amounts up to this one are allowed. */
  readonly limit: number;
  /** Amounts above this one are denied. */
  readonly ceiling: number;
  /** The most that a limit of the request counts. */
  readonly maxUserLimit: number;
}

/**
 * The limits of a currency under a profile: the currency's own, or else those in major units.
 * Undefined if the code, in upper or lower case, names no currency with minor units.
 */
export function limitsOf({ spend }: Profile, code: string): Limits | undefined {
  const currency = findCurrency(code);
  if (currency === undefined) return undefined;
  const { minorPerMajor } = currency;
  const own = spend.currencies[currency.code];
  const limit = own?.limit_minor_units ?? spend.limit_major_units * minorPerMajor;
  const ceiling = own?.ceiling_minor_units ?? spend.ceiling_major_units * minorPerMajor;
  const most = own?.max_user_limit_minor_units ?? spend.max_user_limit_major_units * minorPerMajor;
  return { currency, limit, ceiling, maxUserLimit: maxUserLimit(most, limit, ceiling) };
}

function maxUserLimit(most: number, limit: number, ceiling: number): number {
  if (most === 0) return limit;
  // Anything above the ceiling is denied already and needs no further limit.
  return most >= ceiling ? Number.MAX_SAFE_INTEGER : most;
}
