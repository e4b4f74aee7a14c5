/**
 * ISO 4217 minor-unit digits, written out from the standard's own table and not from the package
 * the engine reads. Codes that were added or withdrawn since 2018 are left out, because whether the
 * engine knows them depends only on the age of its data package.
 */
const CODES_BY_DIGITS: readonly (readonly [digits: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP
     CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES
     KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR
     NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SOS SRD SSP SVC SYP SZL THB TJS TMT TOP
     TRY TTD TWD TZS UAH USD UYU UZS WST XCD YER ZAR ZMW`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

/** Every currency above with its number of minor-unit digits. */
export const ISO_DIGITS: ReadonlyMap<string, number> = new Map(
  CODES_BY_DIGITS.flatMap(([digits, codes]) =>
    codes.split(/\s+/).map((code) => [code, digits] as const),
  ),
);

/**
 * Currencies for the exhaustive spend tests: every number of minor-unit digits, and some currencies
 * for which CLDR and ISO 4217 disagree on that number.
 */
export const TABLE_CURRENCIES = ['JPY', 'EUR', 'USD', 'HUF', 'IDR', 'MGA', 'KWD', 'IQD', 'CLF'];

/** Codes that are not in ISO 4217, or misspelled. */
export const UNKNOWN_CURRENCIES = [
  ...['', ' ', 'E', 'EU', 'EURO', ' EUR', 'EUR ', 'EUR\n', '978', '€', 'ZZZ', 'DEM', 'BTC'],
  ...['u\u017Fd', '\u212AWD', 'constructor', 'toString', '__proto__', 'length'],
];

/** Changes only ASCII letters to upper case, so that `ſ` never becomes `S`. */
function upperAscii(text: string): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 32));
}

export function digitsOf(currency: string): number {
  const digits = ISO_DIGITS.get(upperAscii(currency));
  if (digits === undefined) throw new Error(`the oracle knows no currency ${currency}`);
  return digits;
}

/**
 * Formats `(8750, 'eur')` as `EUR 87.50`. Inserts the decimal point as text, without arithmetic on
 * the amount.
 */
export function money(minorUnits: number, currency: string): string {
  const digits = digitsOf(currency);
  const text = String(minorUnits).padStart(digits + 1, '0');
  const major = text.slice(0, text.length - digits);
  return `${upperAscii(currency)} ${digits === 0 ? major : `${major}.${text.slice(-digits)}`}`;
}
