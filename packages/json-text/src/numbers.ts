const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A double holds every number of so few digits, far from the ends of its range. */
const SURELY_EXACT = /^-?[\d.]{1,15}(?:[eE][+-]?\d{1,2})?$/;

const SURELY_EXACT_CHARS = 15;
const LETTER_E = 0x65;
const LOWER_CASE = 0x20;

/**
 * Whether the number that stands there is surely exact; most are, and this is told
 * without making a string of it.
 */
export function isPlainNumber(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > SURELY_EXACT_CHARS) return false;
  for (let at = start; at < end; at++)
    if (((bytes[at] as number) | LOWER_CASE) === LETTER_E) return false;
  return true;
}

/** Zero, however it is written; anything else that is read as 0 was too small. */
const ZERO = /^-?[0.]+(?:[eE]|$)/;

/**
 * Whether a JSON number, given as it is written, is the number that `JSON.parse` makes of
 * it: not `9007199254740993`, `10000.0000000000001` or `1e-400`. `0.1` is, since it is
 * what JavaScript writes for its value.
 */
export function isExactNumber(text: string): boolean {
  if (SURELY_EXACT.test(text)) return true;
  const value = Number(text);
  if (value === 0) return ZERO.test(text);
  return Number.isFinite(value) && canonical(text) === canonical(String(value));
}

/**
 * Sign, digits without outer zeros, and the exponent of the last one: `-1.50e3` is
 * `-15e2`, any zero `0`.
 */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  // By hand: the pattern /0+$/ takes quadratic time on zeros that something follows.
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  return `${sign}${digits.slice(start, end)}e${Number(exponent) + digits.length - end - fraction.length}`;
}
