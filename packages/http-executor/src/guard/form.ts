import { JsonScanner, Token } from '@gatehouse/json-text';

/** An encoded form, or why there is none. */
export type Form = { readonly text: string } | { readonly fault: 'shape' | 'size' };

/**
 * Writes a JSON object of scalars, and of arrays of those, as
 * `application/x-www-form-urlencoded` (URL Standard, section 5.2). Numbers keep their digits.
 *
 * Each item of an array repeats the member's name, so that a form may be far larger than its
 * request. We stop at `maxBytes`, and work on bytes, because a string for each of 500,000 items
 * would hold up other requests for 100 ms.
 */
export function writeForm(json: Buffer, maxBytes: number): Form {
  const scanner = new JsonScanner(json);
  const form = new FormBytes();
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.Key) form.name = encodedName(scanner);
    else if (isValue(token, json[scanner.start])) form.add(token, scanner);
    else if (!isFormShape(token, scanner.depth)) return { fault: 'shape' };
    if (form.size > maxBytes) return { fault: 'size' };
  }
  return { text: form.toString() };
}

/** A string, a number, `true` or `false`. */
function isValue(token: Token, first: number | undefined): boolean {
  if (token === Token.Word) return first !== LETTER_N;
  return token === Token.String || token === Token.Number;
}

/** The object itself, and arrays of scalars in it. */
function isFormShape(token: Token, depth: number): boolean {
  if (token === Token.BeginObject) return depth === 1;
  if (token === Token.BeginArray) return depth === 2;
  return token === Token.EndObject || token === Token.EndArray;
}

const FIRST_BYTES = 4 * 1024;
/** A byte as `%00`. */
const MAX_ENCODED = 3;

/** The bytes of a form under construction. */
class FormBytes {
  name: Buffer = Buffer.from('');
  size = 0;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);

  /** Adds a field whose value is the latest token. */
  add(token: Token, { bytes, start, end }: JsonScanner): void {
    const { name } = this;
    const most = this.size + name.length + MAX_ENCODED * (end - start) + '&='.length;
    if (most > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * most);
    const out = this.#bytes;
    let size = this.size;
    if (size > 0) out[size++] = AMPERSAND;
    for (let at = 0; at < name.length; at++) out[size++] = name[at] as number;
    out[size++] = EQUALS;
    const edge = token === Token.String ? 1 : 0;
    this.size = encode(bytes, [start + edge, end - edge], out, size);
  }

  toString(): string {
    return this.#bytes.toString('latin1', 0, this.size);
  }
}

function encodedName({ bytes, start, end }: JsonScanner): Buffer {
  const out = Buffer.allocUnsafe(MAX_ENCODED * (end - start));
  return out.subarray(0, encode(bytes, [start + 1, end - 1], out, 0));
}

/** Writes the content of a JSON string, or a number, to a position; returns that behind it. */
function encode(
  text: Buffer,
  [start, end]: readonly [number, number],
  out: Buffer,
  position: number,
): number {
  let to = position;
  for (let at = start; at < end; at++) {
    const code = text[at] as number;
    if (code !== BACKSLASH) to = encodeByte(code, out, to);
    else if (text[at + 1] !== LETTER_U) {
      at += 1;
      to = encodeByte(SHORT_ESCAPES[text[at] as number] as number, out, to);
    } else {
      // Together, because two escapes may be one character.
      let last = at + UNICODE_ESCAPE;
      while (text[last] === BACKSLASH && text[last + 1] === LETTER_U) last += UNICODE_ESCAPE;
      const characters = JSON.parse(`"${text.toString('latin1', at, last)}"`);
      for (const byte of Buffer.from(characters)) to = encodeByte(byte, out, to);
      at = last - 1;
    }
  }
  return to;
}

function encodeByte(code: number, out: Buffer, to: number): number {
  if (IS_SAFE[code] === 1 || code === SPACE) {
    out[to] = code === SPACE ? PLUS : code;
    return to + 1;
  }
  out[to] = PERCENT;
  out[to + 1] = HEX_DIGITS[code >> 4] as number;
  out[to + 2] = HEX_DIGITS[code & 15] as number;
  return to + MAX_ENCODED;
}

/** As `\u0000`. */
const UNICODE_ESCAPE = 6;

const [SPACE, PERCENT, AMPERSAND, PLUS, EQUALS] = [0x20, 0x25, 0x26, 0x2b, 0x3d];
const [BACKSLASH, LETTER_N, LETTER_U] = [0x5c, 0x6e, 0x75];
const HEX_DIGITS = Buffer.from('0123456789ABCDEF');

/** By code, 1 if a byte is written as it is. */
const IS_SAFE = Uint8Array.from({ length: 256 }, (_, code) =>
  /[\w.*-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** What the letter behind a backslash stands for, by code: itself, or a control character. */
const SHORT_ESCAPES = Uint8Array.from({ length: 256 }, (_, code) => code);
for (const [letter, character] of ['b\b', 'f\f', 'n\n', 'r\r', 't\t'])
  SHORT_ESCAPES[letter?.charCodeAt(0) ?? 0] = character?.charCodeAt(0) ?? 0;
