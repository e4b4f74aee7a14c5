import { LETTER_E, LOWER_CASE } from './tokens.ts';

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A double holds every number of so few characters without an exponent. */
const SURELY_EXACT_CHARS = 15;

/** Whether the number at this place is short, and so surely exact; no string is made to tell. */
export function isShortNumber(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > SURELY_EXACT_CHARS) return false;
  for (let at = start; at < end; at++)
    if (((bytes[at] as number) | LOWER_CASE) === LETTER_E) return false;
  return true;
}

/** Whether JavaScript writes the same number back: `0.1`, not `9007199254740993` or `1e-400`. */
export function isExactNumber(text: string): boolean {
  const [written, read] = [decimalOf(text), decimalOf(String(Number(text)))];
  return written.digits === read.digits && written.exponent === read.exponent;
}

/** digits × 10^exponent, without its sign; zero has no digits. */
export interface Decimal {
  /** Without outer zeros. */
  readonly digits: string;
  readonly exponent: number;
}

/** Reads a number in JSON by its digits; `Infinity` has none. */
export function decimalOf(text: string): Decimal {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  // The pattern /0+$/ takes quadratic time on inner zeros.
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return { digits: '', exponent: 0 };
  const behind = digits.length - end;
  return {
    digits: digits.slice(start, end),
    exponent: Number(exponent) - fraction.length + behind,
  };
}
