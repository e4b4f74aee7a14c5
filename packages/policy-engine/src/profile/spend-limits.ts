import type { Profile } from '@gatehouse/contracts';
import { type Currency, findCurrency } from '../money.ts';

/** Up to where a currency is allowed and needs approval, in its minor units. */
export interface Limits {
  readonly currency: Currency;
  readonly limit: number;
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
