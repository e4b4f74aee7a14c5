/** An escape sequence in a text. */
export interface Escape {
  /** UTF-8 of what it stands for. */
  readonly bytes: Uint8Array;
  /** Bytes of the sequence itself. */
  readonly length: number;
}

/** Reads a percent-encoded byte, or the escape of a JSON string or JSON Pointer. */
export function escapeAt(text: Uint8Array, at: number): Escape | undefined {
  if (text[at] === PERCENT) return PERCENT_ENCODED[hexAt(text, at + 1, 2)];
  if (text[at] === TILDE) return POINTER_ESCAPES.get(text[at + 1]);
  if (text[at] !== BACKSLASH) return undefined;
  return text[at + 1] === LETTER_U ? unicodeAt(text, at) : SHORT_ESCAPES.get(text[at + 1]);
}

function unicodeAt(text: Uint8Array, at: number): Escape | undefined {
  const unit = hexAt(text, at + 2, 4);
  if (unit < 0) return undefined;
  const isHigh = unit >= 0xd800 && unit < 0xdc00;
  const isPair = isHigh && text[at + 6] === BACKSLASH && text[at + 7] === LETTER_U;
  const low = isPair ? hexAt(text, at + 8, 4) : -1;
  return low < 0
    ? { bytes: Buffer.from(String.fromCharCode(unit)), length: 6 }
    : { bytes: Buffer.from(String.fromCharCode(unit, low)), length: 12 };
}

const [PERCENT, BACKSLASH, LETTER_U, TILDE] = [0x25, 0x5c, 0x75, 0x7e];

const PERCENT_ENCODED: readonly Escape[] = Array.from({ length: 256 }, (_, byte) => ({
  bytes: Uint8Array.of(byte),
  length: 3,
}));

/** Escapes of two characters, each given as its letter and what it stands for. */
const twoCharacters = (pairs: readonly string[]): ReadonlyMap<number | undefined, Escape> =>
  new Map(
    pairs.map(([letter = '', character = '']) => [
      letter.charCodeAt(0),
      { bytes: Buffer.from(character), length: 2 },
    ]),
  );

const SHORT_ESCAPES = twoCharacters(['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']);
/** In the pointers of violations. */
const POINTER_ESCAPES = twoCharacters(['0~', '1/']);

/** The longest of all sequences: two units of a surrogate pair. */
const MAX_LENGTH = 12;

/** Reads the escape sequence that ends at this index. */
export function escapeBefore(text: Uint8Array, end: number): Escape | undefined {
  for (let start = Math.max(0, end - MAX_LENGTH); start < end; start++) {
    // In `\\n`, the second backslash does not begin a sequence.
    if (text[start] === BACKSLASH && backslashesBefore(text, start) % 2 === 1) continue;
    const sequence = escapeAt(text, start);
    if (sequence !== undefined && start + sequence.length === end) return sequence;
  }
  return undefined;
}

/** A run of more is not counted to its end, so that every look-up is short. */
const MAX_RUN = 64;

function backslashesBefore(text: Uint8Array, at: number): number {
  let count = 0;
  while (count < MAX_RUN && text[at - 1 - count] === BACKSLASH) count += 1;
  return count;
}

/** The value of hexadecimal digits, or -1 if there are none. */
function hexAt(text: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) {
    const digit = HEX_DIGITS.indexOf(String.fromCharCode((text[index] ?? 0) | LOWER_CASE));
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

const HEX_DIGITS = '0123456789abcdef';
/** Set in digits and in small letters. */
const LOWER_CASE = 0x20;
