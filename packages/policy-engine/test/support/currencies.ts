/**
 * ISO 4217 minor-unit digits, written out from the standard's own table and not from the
 * package the engine reads. Codes that came or went since 2018 are left out: they depend
 * on the age of a data package, not on the engine.
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
 * The currencies that the full spend table runs on: every exponent, and those whose CLDR
 * digits differ from ISO's.
 */
export const TABLE_CURRENCIES = ['JPY', 'EUR', 'USD', 'HUF', 'IDR', 'MGA', 'KWD', 'IQD', 'CLF'];

/** Codes that are not in ISO 4217, or misspelled. */
export const UNKNOWN_CURRENCIES = [
  ...['', ' ', 'E', 'EU', 'EURO', ' EUR', 'EUR ', 'EUR\n', '978', '€', 'ZZZ', 'DEM', 'BTC'],
  ...['u\u017Fd', '\u212AWD', 'constructor', 'toString', '__proto__', 'length'],
];

/** Changes only ASCII letters to upper case, so that `ſ` never becomes `S`. */
export function upperAscii(text: string): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 32));
}

export function digitsOf(currency: string): number {
  const digits = ISO_DIGITS.get(upperAscii(currency));
  if (digits === undefined) throw new Error(`the oracle knows no currency ${currency}`);
  return digits;
}

/**
 * `(8750, 'eur')` as `EUR 87.50`: digits moved as text, with no arithmetic on the amount.
 */
export function money(minorUnits: number, currency: string): string {
  const digits = digitsOf(currency);
  const text = String(minorUnits).padStart(digits + 1, '0');
  const major = text.slice(0, text.length - digits);
  return `${upperAscii(currency)} ${digits === 0 ? major : `${major}.${text.slice(-digits)}`}`;
}
