const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A double keeps all digits of a number with at most 15 characters and no exponent. */
const MAX_SHORT_CHARS = 15;

/** True if a double keeps all digits of a number. For example, `9007199254740993` is rounded. */
export function isExactNumber(text: string): boolean {
  // Comparing the digits of every number would triple the time of an inspection.
  if (text.length <= MAX_SHORT_CHARS && !/e/i.test(text)) return true;

  const [written, read] = [decimalOf(text), decimalOf(String(Number(text)))];
  return written.digits === read.digits && written.exponent === read.exponent;
}

/** Absolute value of a number, which equals digits × 10^exponent. For zero, `digits` is empty. */
interface Decimal {
  /** Digits without leading or trailing zeros, such as `12` for 0.0120. */
  readonly digits: string;
  readonly exponent: number;
}

/**
 * Splits a JSON number into digits and exponent. A double reads 1e999 as `Infinity`, for which
 * `digits` is empty.
 */
function decimalOf(text: string): Decimal {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  // Trim zeros in a loop, because /0+$/ takes quadratic time if a number has many inner zeros.
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return { digits: '', exponent: 0 };

  const trailingZeros = digits.length - end;
  const scale = Number(exponent) - fraction.length + trailingZeros;
  return { digits: digits.slice(start, end), exponent: scale };
}
