import iso4217 from 'currency-codes';

/**
 * Codes without minor units ("N.A." in ISO 4217). The `currency-codes` package gives them 0 digits,
 * so without this list, 100 ounces of gold would pass as a small amount.
 */
const WITHOUT_MINOR_UNIT = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ');

/** Currencies that ISO 4217 added after June 2024, the date of the data in `currency-codes`. */
const AMENDMENTS = [{ code: 'XCG', digits: 2 }]; // Caribbean guilder, amendment 176

export interface Currency {
  readonly code: string;
  /** Digits after the point: EUR 2, JPY 0, KWD 3, CLF 4. */
  readonly exponent: number;
  /** Minor units per major unit, such as 100 for EUR and 1 for JPY. */
  readonly minorPerMajor: number;
}

/** Currencies by code. We do not use `Intl`, whose digits for HUF and IDR differ from ISO 4217. */
const CURRENCIES: ReadonlyMap<string, Currency> = new Map(
  [...iso4217.data, ...AMENDMENTS]
    .filter(({ code }) => !WITHOUT_MINOR_UNIT.includes(code))
    .map(({ code, digits }) => [code, { code, exponent: digits, minorPerMajor: 10 ** digits }]),
);

export const CURRENCY_CODES: readonly string[] = [...CURRENCIES.keys()].sort();

/** Finds a currency with minor units by its code, in upper or lower case. */
export function findCurrency(text: string): Currency | undefined {
  // Accept only ASCII, because `toUpperCase` also turns `uſd` into `USD`.
  return /^[A-Za-z]{3}$/.test(text) ? CURRENCIES.get(text.toUpperCase()) : undefined;
}

/** Formats an amount, such as `KWD 12.345`, without dividing, because division could round. */
export function formatMoney(minorUnits: number | bigint, { code, exponent }: Currency): string {
  const digits = String(minorUnits);
  if (exponent === 0) return `${code} ${digits}`;
  const padded = digits.padStart(exponent + 1, '0');
  return `${code} ${padded.slice(0, -exponent)}.${padded.slice(-exponent)}`;
}
