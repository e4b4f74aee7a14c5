import { byteAt, isDigit } from './tokens.ts';

const [PLUS, MINUS, POINT, ZERO] = [0x2b, 0x2d, 0x2e, 0x30];
const [CAPITAL_E, LETTER_E] = [0x45, 0x65];

/** Returns the offset just past a number. For a syntax error at offset `at`, returns `~at`. */
export function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = byteAt(bytes, start) === MINUS ? start + 1 : start;
  at = byteAt(bytes, at) === ZERO ? at + 1 : endOfDigits(bytes, at);
  if (at >= 0 && byteAt(bytes, at) === POINT) at = endOfDigits(bytes, at + 1);
  if (at < 0 || !isExponent(byteAt(bytes, at))) return at;
  const sign = byteAt(bytes, at + 1);
  return endOfDigits(bytes, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(byteAt(bytes, at))) at += 1;
  return at === start ? ~at : at;
}

const isExponent = (code: number | undefined) => code === LETTER_E || code === CAPITAL_E;

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A double keeps all digits of a number with at most 15 characters and no exponent. */
const MAX_SHORT_CHARS = 15;

/** True if the number between two offsets is so short that a double keeps all its digits. */
export function isShortNumber(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > MAX_SHORT_CHARS) return false;
  for (let at = start; at < end; at++) if (isExponent(bytes[at])) return false;
  return true;
}

/** True if a double keeps all digits of a number. For example, `9007199254740993` is rounded. */
export function isExactNumber(text: string): boolean {
  const [written, read] = [decimalOf(text), decimalOf(String(Number(text)))];
  return written.digits === read.digits && written.exponent === read.exponent;
}

/** Absolute value of a number, which equals digits × 10^exponent. For zero, `digits` is empty. */
interface Decimal {
  /** Digits without leading or trailing zeros, such as `12` for 0.0120. */
  readonly digits: string;
  readonly exponent: number;
}

/** Splits a JSON number into digits and exponent. For the text `Infinity`, `digits` is empty. */
export function decimalOf(text: string): Decimal {
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
