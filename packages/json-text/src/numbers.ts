import { LETTER_E, LOWER_CASE } from './tokens.ts';

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A double holds every number of so few digits, far from the ends of its range. */
const SURELY_EXACT = /^-?[\d.]{1,15}(?:[eE][+-]?\d{1,2})?$/;

export const SURELY_EXACT_CHARS = 15;

/** Whether the number there is surely exact: most are, and no string is made to tell. */
export function isPlainNumber(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > SURELY_EXACT_CHARS) return false;
  for (let at = start; at < end; at++)
    if (((bytes[at] as number) | LOWER_CASE) === LETTER_E) return false;
  return true;
}

/** Zero in any form; anything else that is read as 0 was too small. */
const ZERO = /^-?[0.]+(?:[eE]|$)/;

/** Whether JavaScript writes the same number back: `0.1`, not `9007199254740993` or `1e-400`. */
export function isExactNumber(text: string): boolean {
  if (SURELY_EXACT.test(text)) return true;
  const value = Number(text);
  if (value === 0) return ZERO.test(text);
  return Number.isFinite(value) && compareMagnitudes(text, String(value)) === 0;
}

/** Below 0 if the first of two numbers in JSON is nearer to 0, by its digits; 0: neither is. */
export function compareMagnitudes(one: string, other: string): number {
  const [a, b] = [decimalOf(one), decimalOf(other)];
  if (a.places !== b.places) return a.places - b.places;
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -1 : 1;
}

/** Whether a number in JSON is an integer by its digits: `1.50e1`, not `10.00000000000000001`. */
export function isWholeNumber(text: string): boolean {
  const { digits, places } = decimalOf(text);
  return digits === '' || places >= digits.length;
}

/** 0.digits × 10^places; zero has no digits. */
interface Decimal {
  /** Without outer zeros. */
  readonly digits: string;
  readonly places: number;
}

function decimalOf(text: string): Decimal {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  // The pattern /0+$/ takes quadratic time on inner zeros.
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return { digits: '', places: Number.NEGATIVE_INFINITY };
  return { digits: digits.slice(start, end), places: Number(exponent) + whole.length - start };
}
