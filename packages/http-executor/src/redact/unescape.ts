import { decodeHTML } from 'entities';

/** Levels of escapes that are undone, as in JSON within JSON. */
export const LEVELS = 3;

/**
 * Undoes one level of the usual escapes: percent encoding, backslashes, HTML entities and
 * JSON Pointers. Texts are UTF-8 bytes in latin1.
 */
export function unescapeOnce(text: string): string {
  const out = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const read = readEscape(text, at);
    if (read === undefined) {
      out[length] = text.charCodeAt(at);
      length += 1;
      at += 1;
    } else {
      length += out.write(read.bytes, length, 'latin1');
      at += read.length;
    }
  }
  return out.toString('latin1', 0, length);
}

/** Maps ascending positions of the unescaped text to the original. */
export function originsOf(text: string, positions: readonly number[]): number[] {
  const origins: number[] = [];
  let at = 0;
  let length = 0;
  for (const position of positions) {
    while (length < position) {
      const read = readEscape(text, at);
      length += read?.bytes.length ?? 1;
      at += read?.length ?? 1;
    }
    origins.push(at);
  }
  return origins;
}

interface Escape {
  /** What it stands for. */
  readonly bytes: string;
  /** Of the escape itself. */
  readonly length: number;
}

function readEscape(text: string, at: number): Escape | undefined {
  switch (text.charCodeAt(at)) {
    case PERCENT:
      return readPercent(text, at);
    case BACKSLASH:
      return readBackslash(text, at);
    case AMPERSAND:
      return readEntity(text, at);
    case TILDE:
      return readPointer(text, at);
    default:
      return undefined;
  }
}

const [PERCENT, AMPERSAND, BACKSLASH, TILDE] = [0x25, 0x26, 0x5c, 0x7e];

function readPercent(text: string, at: number): Escape | undefined {
  const octet = hexAt(text, at + 1, 2);
  return octet < 0 ? undefined : { bytes: String.fromCharCode(octet), length: 3 };
}

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function readBackslash(text: string, at: number): Escape | undefined {
  const next = text[at + 1];
  if (next === undefined) return undefined;
  const digits = next === 'u' ? 4 : next === 'x' ? 2 : 0;
  const unit = digits === 0 ? -1 : hexAt(text, at + 2, digits);
  if (unit < 0) return { bytes: CONTROLS[next] ?? next, length: 2 };
  const low = isHighSurrogate(unit) && text.startsWith('\\u', at + 6) ? hexAt(text, at + 8, 4) : -1;
  return low < 0
    ? { bytes: utf8(String.fromCharCode(unit)), length: 2 + digits }
    : { bytes: utf8(String.fromCharCode(unit, low)), length: 12 };
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

const ENTITY = /&(?:#\d{1,9}|#[xX][\da-fA-F]{1,8}|[A-Za-z][A-Za-z\d]{1,30});/y;

function readEntity(text: string, at: number): Escape | undefined {
  ENTITY.lastIndex = at;
  const entity = ENTITY.exec(text)?.[0];
  if (entity === undefined) return undefined;
  const bytes = utf8(decodeHTML(entity));
  return bytes.length <= entity.length ? { bytes, length: entity.length } : undefined;
}

function readPointer(text: string, at: number): Escape | undefined {
  const next = text[at + 1];
  if (next === '0') return { bytes: '~', length: 2 };
  return next === '1' ? { bytes: '/', length: 2 } : undefined;
}

/** The value of hexadecimal digits; -1: they are none. */
function hexAt(text: string, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) {
    const digit = DIGITS[text.charCodeAt(index)] ?? 0;
    if (digit === 0) return -1;
    value = value * 16 + digit - 1;
  }
  return value;
}

/** By code, the value of a hexadecimal digit plus 1. */
const DIGITS = new Uint8Array(0x80);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  DIGITS[digit.charCodeAt(0)] = value + 1;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value + 1;
}

function utf8(text: string): string {
  return text.charCodeAt(0) < 0x80 && text.length === 1
    ? text
    : Buffer.from(text).toString('latin1');
}
