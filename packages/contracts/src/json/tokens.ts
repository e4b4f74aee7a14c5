/** A `Key` is the name of a member, and a `Word` is `true`, `false` or `null`. */
export const JsonToken = {
  End: 0,
  BeginObject: 1,
  EndObject: 2,
  BeginArray: 3,
  EndArray: 4,
  Key: 5,
  String: 6,
  Number: 7,
  Word: 8,
} as const;
export type JsonToken = (typeof JsonToken)[keyof typeof JsonToken];

export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  readonly reason: 'syntax' | 'depth';
  readonly position: number;

  constructor(reason: JsonFault['reason'], position: number) {
    super(reason === 'depth' ? 'nested too deeply' : `not valid JSON at position ${position}`);
    this.reason = reason;
    this.position = position;
  }
}

export const END = -1;

/** Returns a byte, or `END` past the end. Checks the bounds, because V8 is slow outside them. */
export function byteAt(bytes: Uint8Array, at: number): number {
  return at < bytes.length ? (bytes[at] as number) : END;
}

/** Removes a byte order mark, which JSON does not allow but some programs write. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return marked ? bytes.subarray(3) : bytes;
}

/** Returns the offset just past a string. For a syntax error at offset `at`, returns `~at`. */
export function endOfString(bytes: Uint8Array, open: number): number {
  const { length } = bytes;
  let at = open + 1;
  while (at < length) {
    const code = bytes[at] as number;
    if (code === QUOTE) return at + 1;

    if (code < SPACE) return ~at;

    if (code === BACKSLASH) {
      const escaped = escapeLength(bytes, at + 1);
      if (escaped === 0) return ~(at + 1);

      at += escaped;
    }
    at += 1;
  }
  return ~at;
}

export function stringAt(bytes: Buffer, open: number): string {
  return unquoted(bytes.toString('utf8', open, endOfString(bytes, open)));
}

/** Returns the value of a JSON string literal, such as `a` for `"\u0061"`. */
export function unquoted(written: string): string {
  return written.includes('\\') ? JSON.parse(written) : written.slice(1, -1);
}

const ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

/** Returns the length of the escape after a backslash, or 0 if the escape is invalid. */
function escapeLength(bytes: Uint8Array, at: number): number {
  const code = byteAt(bytes, at);
  if (code !== LETTER_U) return ESCAPES.has(code) ? 1 : 0;
  for (let digit = at + 1; digit <= at + 4; digit++)
    if (!isHexDigit(byteAt(bytes, digit))) return 0;
  return 5;
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

function isHexDigit(code: number): boolean {
  const lower = code | LOWER_CASE;
  return isDigit(code) || (lower >= LETTER_A && lower <= LETTER_F);
}

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

/** True for the letter before an exponent. */
const isExponent = (code: number) => code === LETTER_E || code === CAPITAL_E;

export const [SPACE, QUOTE, COMMA, COLON] = [0x20, 0x22, 0x2c, 0x3a];
const [ZERO, NINE] = [0x30, 0x39];
export const [OPEN_BRACKET, CLOSE_BRACKET] = [0x5b, 0x5d];
export const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d];
const [BACKSLASH, LETTER_A, LETTER_E, LETTER_F, LETTER_U] = [0x5c, 0x61, 0x65, 0x66, 0x75];
const LOWER_CASE = 0x20;
const [PLUS, MINUS, POINT] = [0x2b, 0x2d, 0x2e];
const CAPITAL_E = 0x45;
