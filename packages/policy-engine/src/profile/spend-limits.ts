import type { Profile } from '@gatehouse/contracts';
import { CURRENCIES, type Currency, findCurrency } from '../money.ts';

/** Up to where a currency is allowed and needs approval, in its minor units. */
export interface Limits {
  readonly currency: Currency;
  readonly limit: number;
  readonly ceiling: number;
  /** The most that a limit of the request counts. */
  readonly maxUserLimit: number;
}

/** The limits of a currency under a profile; undefined: it has no minor units. */
export function limitsOf({ spend }: Profile, code: string): Limits | undefined {
  const currency = findCurrency(code);
  return currency === undefined ? undefined : limitsIn(spend, currency);
}

type Spend = Profile['spend'];

/** Its own, or those in major units. */
function limitsIn(spend: Spend, currency: Currency): Limits {
  const { minorPerMajor, code } = currency;
  const own = spend.currencies[code];
  const limit = own?.limit_minor_units ?? spend.limit_major_units * minorPerMajor;
  const ceiling = own?.ceiling_minor_units ?? spend.ceiling_major_units * minorPerMajor;
  const most = own?.max_user_limit_minor_units ?? spend.max_user_limit_major_units * minorPerMajor;
  return { currency, limit, ceiling, maxUserLimit: mostOfUser(most, limit, ceiling) };
}

function mostOfUser(most: number, limit: number, ceiling: number): number {
  if (most === 0) return limit;
  // What the ceiling denies in any case needs no other bound.
  return most >= ceiling ? Number.MAX_SAFE_INTEGER : most;
}

/** Finds limits by a code in upper or lower case; undefined: no currency with minor units. */
export function limitsByCode(spend: Spend): (code: string) => Limits | undefined {
  const known = new Map(
    [...CURRENCIES.values()].map((currency) => [currency.code, limitsIn(spend, currency)]),
  );
  return (code) => known.get(code) ?? known.get(findCurrency(code)?.code ?? code);
}
