import { LETTER_E, LOWER_CASE } from './tokens.ts';

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

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
  return Number.isFinite(value) && canonical(text) === canonical(String(value));
}

/** Sign, digits without outer zeros, exponent: `-1.50e3` is `-15e2`, any zero is `0`. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  // The pattern /0+$/ takes quadratic time on inner zeros.
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  return `${sign}${digits.slice(start, end)}e${Number(exponent) + digits.length - end - fraction.length}`;
}
