import iso4217 from 'currency-codes';

/**
 * Codes to which ISO 4217 gives no minor unit ("N.A."): metals, bond units, drawing
 * rights, testing, and the code `XXX`, which stands for no currency. The data package
 * shows them with 0 digits, which would read 100 ounces of gold as a small amount, so an
 * amount "in minor units" of them is refused.
 */
const WITHOUT_MINOR_UNIT = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ');

/** What the standard has gained since the data package was published (June 2024). */
const AMENDMENTS = [{ code: 'XCG', digits: 2 }]; // Caribbean guilder, amendment 176

/**
 * A currency of ISO 4217. Minor units per major unit: EUR 100, JPY 1, KWD 1000, CLF
 * 10000.
 */
export interface Currency {
  readonly code: string;
  readonly exponent: number;
  readonly minorPerMajor: number;
}

/**
 * By upper-case code. The digits are ISO 4217's, not those of `Intl`, which differ (HUF,
 * IDR, IQD …).
 */
const CURRENCIES: ReadonlyMap<string, Currency> = new Map(
  [...iso4217.data, ...AMENDMENTS]
    .filter(({ code }) => !WITHOUT_MINOR_UNIT.includes(code))
    .map(({ code, digits }) => [code, { code, exponent: digits, minorPerMajor: 10 ** digits }]),
);

/**
 * Looks up a code in upper or lower case; undefined when ISO 4217 has no such code with
 * minor units.
 */
export function findCurrency(text: string): Currency | undefined {
  const exact = CURRENCIES.get(text);
  if (exact !== undefined) return exact;
  // Only ASCII is folded: `toUpperCase` would also turn `uſd` into `USD`.
  return /^[A-Za-z]{3}$/.test(text) ? CURRENCIES.get(text.toUpperCase()) : undefined;
}

/** `EUR 87.50`, `JPY 150`, `KWD 12.345`: exact, made from the digits of the integer. */
export function formatMoney(minorUnits: number, { code, exponent }: Currency): string {
  const digits = String(minorUnits);
  if (exponent === 0) return `${code} ${digits}`;
  const padded = digits.padStart(exponent + 1, '0');
  return `${code} ${padded.slice(0, -exponent)}.${padded.slice(-exponent)}`;
}
