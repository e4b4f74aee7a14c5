import iso4217 from 'currency-codes';

/**
 * Codes that have no minor units in ISO 4217, such as `XAU` for gold. If we accepted these codes,
 * the default limit of 100 major units would allow a payment of 100 ounces of gold.
 */
const WITHOUT_MINOR_UNIT = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ');

/** Currencies that are missing from the `currency-codes` package, whose data is from June 2024. */
const AMENDMENTS = [{ code: 'XCG', digits: 2 }]; // Caribbean guilder, amendment 176

export interface Currency {
  readonly code: string;
  /** Number of digits after the decimal point, such as 2 for EUR and 0 for JPY. */
  readonly exponent: number;
  /** Minor units per major unit, such as 100 for EUR and 1 for JPY. */
  readonly minorPerMajor: number;
}

/** Currencies by code. We do not use `Intl`, because it gives HUF 0 decimals instead of 2. */
const CURRENCIES: ReadonlyMap<string, Currency> = new Map(
  [...iso4217.data, ...AMENDMENTS]
    .filter(({ code }) => !WITHOUT_MINOR_UNIT.includes(code))
    .map(({ code, digits }) => [code, { code, exponent: digits, minorPerMajor: 10 ** digits }]),
);

export const CURRENCY_CODES: readonly string[] = [...CURRENCIES.keys()].sort();

/** Finds a supported currency by its code, in upper or lower case, or returns undefined. */
export function findCurrency(text: string): Currency | undefined {
  // Accept only ASCII letters, because `toUpperCase` would turn `uſd` into `USD`.
  return /^[A-Za-z]{3}$/.test(text) ? CURRENCIES.get(text.toUpperCase()) : undefined;
}

/** Formats 12345 minor units as `KWD 12.345`, without a division that could round. */
export function formatMoney(minorUnits: number | bigint, { code, exponent }: Currency): string {
  const digits = String(minorUnits);
  if (exponent === 0) return `${code} ${digits}`;
  const padded = digits.padStart(exponent + 1, '0');
  return `${code} ${padded.slice(0, -exponent)}.${padded.slice(-exponent)}`;
}
