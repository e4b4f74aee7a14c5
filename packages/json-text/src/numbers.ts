import { LETTER_E, LOWER_CASE } from './tokens.ts';

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Any number with at most this many characters and without an exponent is exact as a double. */
const MAX_SHORT_CHARS = 15;

/** True if the number is short, and therefore exact. Reads bytes to avoid creating a string. */
export function isShortNumber(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > MAX_SHORT_CHARS) return false;
  for (let at = start; at < end; at++)
    if (((bytes[at] as number) | LOWER_CASE) === LETTER_E) return false;
  return true;
}

/** True if a double keeps the number: `0.1`, but not `9007199254740993` or `1e-400`. */
export function isExactNumber(text: string): boolean {
  const [written, read] = [decimalOf(text), decimalOf(String(Number(text)))];
  return written.digits === read.digits && written.exponent === read.exponent;
}

/** Absolute value as digits × 10^exponent; zero has empty digits. */
export interface Decimal {
  /** Digits without leading and trailing zeros. */
  readonly digits: string;
  readonly exponent: number;
}

/** Parses a JSON number; `Infinity` has empty digits. */
export function decimalOf(text: string): Decimal {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  // A loop, because /0+$/ takes quadratic time on inner zeros.
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return { digits: '', exponent: 0 };
  const trailingZeros = digits.length - end;
  return {
    digits: digits.slice(start, end),
    exponent: Number(exponent) - fraction.length + trailingZeros,
  };
}
