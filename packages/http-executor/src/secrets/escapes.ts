import { setImmediate } from 'node:timers/promises';

/** First byte of an escape: `\` in JSON strings, `%` in URLs and forms. */
export type Mark = typeof BACKSLASH | typeof PERCENT;
export const BACKSLASH = 0x5c;
export const PERCENT = 0x25;

/**
 * Decodes the escapes that begin with `mark`, and leaves invalid ones as they are. Replaces each of
 * `positions`, which are sorted offsets in the result, by the offset in `text` that it comes from.
 */
export async function decodeEscapes(
  text: Buffer,
  mark: Mark,
  positions: number[] = [],
): Promise<Buffer> {
  // No escape is shorter than the bytes that it means.
  const decoded = Buffer.allocUnsafe(text.length);
  const read = mark === PERCENT ? readPercentEscape : readJsonEscape;
  let size = 0;
  let next = 0;
  let pause = BYTES_PER_PAUSE;
  for (let at = 0, length = 1; at < text.length; at += length) {
    if (at >= pause) {
      await setImmediate();
      pause += BYTES_PER_PAUSE;
    }
    const byte = text[at] as number;
    const piece = byte === mark ? read(text, at) : pieceOf(1, byte);
    const code = piece & CODE;
    length = piece >> CODE_BITS;

    if (code < 0x80 || length <= PERCENT_LENGTH) decoded[size++] = code;
    else size = writeUtf8(decoded, size, code);
    while ((positions[next] as number) < size) positions[next++] = at;
  }
  positions.fill(text.length, next);
  return decoded.subarray(0, size);
}

/** Number of bytes to decode without a pause, which takes a few milliseconds. */
const BYTES_PER_PAUSE = 256 * 1024;

const CODE_BITS = 21;
const CODE = (1 << CODE_BITS) - 1;
const PERCENT_LENGTH = 3;

/** Packs the length of an escape and its code point or byte, because objects would be slow. */
const pieceOf = (length: number, code: number): number => (length << CODE_BITS) | code;

function readPercentEscape(text: Buffer, at: number): number {
  const byte = readHex(text, at + 1, 2);
  return byte < 0 ? pieceOf(1, PERCENT) : pieceOf(PERCENT_LENGTH, byte);
}

/** Reads an escape of RFC 8259, section 7, with both halves of a surrogate pair. */
function readJsonEscape(text: Buffer, at: number): number {
  const letter = text[at + 1] ?? 0;
  const code = SHORT_ESCAPES[letter] as number;
  if (code > 0) return pieceOf(2, code);
  const unit = letter === LETTER_U ? readHex(text, at + 2, 4) : -1;
  if (unit < 0) return pieceOf(1, BACKSLASH);

  const isPair = unit >> 10 === HIGH && text[at + 6] === BACKSLASH && text[at + 7] === LETTER_U;
  const low = isPair ? readHex(text, at + 8, 4) : -1;
  if (low >> 10 !== LOW) return pieceOf(6, unit);
  return pieceOf(12, 0x1_0000 + ((unit & 0x3ff) << 10) + (low & 0x3ff));
}

const LETTER_U = 0x75;
/** Code of each escape with one letter, and 0 for all other bytes. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const letter of '"\\/bfnrt')
  SHORT_ESCAPES[letter.charCodeAt(0)] = JSON.parse(`"\\${letter}"`).charCodeAt(0);

/** First six bits of the halves of a surrogate pair. */
const [HIGH, LOW] = [0xd800 >> 10, 0xdc00 >> 10];

/** Reads a hexadecimal number. Returns a negative number if a digit is missing. */
function readHex(text: Buffer, at: number, digits: number): number {
  let value = 0;
  for (let index = at; index < at + digits; index++)
    value = (value << 4) | (HEX[text[index] ?? 0] as number);
  return value;
}

/** Value of each hexadecimal digit, and -1 for all other bytes. */
const HEX = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase()),
);

/** Writes a character above ASCII, and returns the offset behind it. */
function writeUtf8(bytes: Buffer, at: number, code: number): number {
  const following = code < 0x800 ? 1 : code < 0x1_0000 ? 2 : 3;
  bytes[at] = (FIRST_BYTES[following] as number) | (code >> (6 * following));
  for (let index = 1; index <= following; index++)
    bytes[at + index] = 0x80 | ((code >> (6 * (following - index))) & 0x3f);
  return at + following + 1;
}

/** First byte of a character in UTF-8, without the code, by the number of bytes that follow. */
const FIRST_BYTES = [0, 0xc0, 0xe0, 0xf0];
