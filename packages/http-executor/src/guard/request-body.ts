import type { Violation } from '@gatehouse/contracts';
import { JsonFault, JsonScanner, JsonText, Token } from '@gatehouse/json-text';
import { charsetIn, decodeText, isInUtf8 } from '../charset.ts';
import { MAX_JSON_DEPTH } from '../json-depth.ts';

/** What is sent as the body of a request, or why it cannot be. */
export type RequestBody = SentBody | { readonly text: undefined };

type SentBody = { readonly text: string } | { readonly violation: Violation };

/**
 * Reads the body by its content type (contract section 3, "Request body"), in this order:
 * 1. `null` is no body;
 * 2. under a JSON type, or none: JSON as it is written;
 * 3. a string, under any other type: text;
 * 4. an object, under the type of forms: a form.
 *
 * It is sent in UTF-8, so its content type must not name a charset that reads it otherwise.
 */
export function readBody(
  body: unknown,
  contentType: string | undefined,
  maxRequestBytes: number,
): RequestBody {
  if (body == null) return { text: undefined };
  const read = readByType(body, mediaType(contentType), FORM_TIMES * maxRequestBytes);
  const charset = charsetIn(contentType);
  if (charset === undefined || 'violation' in read || isReadBy(charset, read.text)) return read;
  return invalidBody(
    `is sent in UTF-8, which the charset \`${charset}\` reads otherwise; name \`utf-8\` in the content type, or none`,
  );
}

/** A form may be so many times as large as the request that it comes from. */
const FORM_TIMES = 2;

function readByType(body: unknown, type: string | undefined, maxFormBytes: number): SentBody {
  const json = jsonOf(body);
  if (json === undefined) return invalidBody(`must nest at most ${MAX_JSON_DEPTH} levels deep`);
  if (type === undefined || isJsonType(type)) return { text: json.text };
  if (json.text.startsWith('"')) return textOf(json);
  if (type === FORM) return formOf(json.text, maxFormBytes);
  const instead = type.startsWith('multipart/')
    ? `, its parts written out; for fields without files, use \`${FORM}\``
    : '; for JSON, set a JSON content type or none';
  return invalidBody(`must be a string under the content type \`${type}\`${instead}`);
}

const FORM = 'application/x-www-form-urlencoded';

function invalidBody(message: string): { readonly violation: Violation } {
  return { violation: { pointer: '/body', message } };
}

function isReadBy(charset: string, text: string): boolean {
  return isInUtf8(charset) || decodeText(Buffer.from(text), charset) === text;
}

/** Undefined when it nests too deep. */
function jsonOf(body: unknown): JsonText | undefined {
  try {
    const json = JsonText.of(body);
    const scanner = new JsonScanner(Buffer.from(json.text), MAX_JSON_DEPTH);
    while (scanner.next() !== Token.End);
    return json;
  } catch (error) {
    // `JSON.stringify` overflows the stack on a deep value.
    if (error instanceof JsonFault || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A blank content type is none. */
function mediaType(contentType: string | undefined): string | undefined {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() || undefined;
}

function isJsonType(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json');
}

function textOf(json: JsonText): SentBody {
  return hasHalfCharacter(json.text) ? invalidBody(HALF_CHARACTER) : { text: String(json.parse()) };
}

const HALF_CHARACTER =
  'must not hold half a surrogate pair unless it is sent as JSON: UTF-8 has no such character';

/** Whether a JSON text holds an escape such as `\\ud800` outside of a surrogate pair. */
function hasHalfCharacter(text: string): boolean {
  return (
    HALF.test(text) &&
    HALF.test(text.replace(/\\\\|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/g, ''))
  );
}

const HALF = /\\u[dD][89a-fA-F]/;

/** An object of scalars, and of arrays of those, as a form; numbers keep their digits. */
function formOf(text: string, maxBytes: number): SentBody {
  if (!text.startsWith('{')) return invalidBody('must be an object or a string for a form');
  if (hasHalfCharacter(text)) return invalidBody(HALF_CHARACTER);
  const scanner = new JsonScanner(Buffer.from(text));
  const pairs: string[] = [];
  let size = -1;
  let name = '';
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.Key) name = formEncoded(JSON.parse(scanner.written));
    const value = formValue(token, scanner);
    if (value === undefined && !isFormShape(token, scanner.depth)) return invalidBody(FORM_SHAPE);
    if (value === undefined) continue;
    pairs.push(`${name}=${value}`);
    // The encoded form is ASCII. Each pair repeats the name, so the form is much larger than the
    // request when an array has many items; stop before it is built.
    size += name.length + value.length + '=&'.length;
    if (size > maxBytes)
      return invalidBody(
        `becomes a form of more than ${maxBytes} bytes; send fewer or shorter fields`,
      );
  }
  return { text: pairs.join('&') };
}

const FORM_SHAPE =
  'must be an object of strings, numbers, booleans and arrays of those, or a string, under a form content type';

/** The encoded value of a token, or undefined if a form has no such value. */
function formValue(token: Token, { written }: JsonScanner): string | undefined {
  if (token === Token.String) return formEncoded(JSON.parse(written));
  if (token === Token.Number) return formEncoded(written);
  return token === Token.Word && written !== 'null' ? written : undefined;
}

function formEncoded(text: string): string {
  return /^[\w.*-]*$/.test(text) ? text : new URLSearchParams([['', text]]).toString().slice(1);
}

/** The object itself, its members' names, and arrays of scalars in it. */
function isFormShape(token: Token, depth: number): boolean {
  if (token === Token.BeginObject) return depth === 1;
  if (token === Token.BeginArray) return depth === 2;
  return token === Token.Key || token === Token.EndObject || token === Token.EndArray;
}
