import { BACKSLASH, LETTER_U, LOWER_CASE } from './tokens.ts';

/** Escapes of one letter. */
const SHORT = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' };
const BY_LETTER = new Uint8Array(0x80);
for (const [letter, character] of Object.entries(SHORT))
  BY_LETTER[letter.charCodeAt(0)] = character.charCodeAt(0);

const SHORT_LENGTH = 2;
const LONG_LENGTH = 6;

/** A valid string unescaped, as UTF-8; half a surrogate pair takes three bytes of its own. */
export function unescaped(bytes: Buffer, start: number, end: number): Buffer {
  const content = Buffer.allocUnsafe(end - start);
  let length = 0;
  for (let at = start; at < end; ) {
    const byte = bytes[at] as number;
    const letter = bytes[at + 1] as number;
    if (byte !== BACKSLASH) {
      content[length++] = byte;
      at += 1;
    } else if (letter === LETTER_U) {
      const point = codePoint(bytes, at);
      length = writeUtf8(content, length, point);
      at += point > 0xffff ? 2 * LONG_LENGTH : LONG_LENGTH;
    } else {
      content[length++] = BY_LETTER[letter] as number;
      at += SHORT_LENGTH;
    }
  }
  return content.subarray(0, length);
}

/** Of the escape that begins here, or of a surrogate pair of two. */
function codePoint(bytes: Buffer, at: number): number {
  const unit = codeUnit(bytes, at);
  const next = at + LONG_LENGTH;
  if (!isHigh(unit) || bytes[next] !== BACKSLASH || bytes[next + 1] !== LETTER_U) return unit;
  const low = codeUnit(bytes, next);
  return isLow(low) ? 0x1_00_00 + ((unit & 0x3ff) << 10) + (low & 0x3ff) : unit;
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

function codeUnit(bytes: Buffer, at: number): number {
  let unit = 0;
  for (let offset = SHORT_LENGTH; offset < LONG_LENGTH; offset++)
    unit = unit * 16 + hexDigit(bytes[at + offset] as number);
  return unit;
}

const hexDigit = (code: number) => (code <= 0x39 ? code - 0x30 : (code | LOWER_CASE) - 0x57);

function writeUtf8(content: Buffer, from: number, point: number): number {
  let length = from;
  if (point < 0x80) {
    content[length++] = point;
    return length;
  }
  if (point < 0x800) {
    content[length++] = 0xc0 | (point >> 6);
  } else {
    if (point < 0x1_00_00) content[length++] = 0xe0 | (point >> 12);
    else {
      content[length++] = 0xf0 | (point >> 18);
      content[length++] = 0x80 | ((point >> 12) & 0x3f);
    }
    content[length++] = 0x80 | ((point >> 6) & 0x3f);
  }
  content[length++] = 0x80 | (point & 0x3f);
  return length;
}
