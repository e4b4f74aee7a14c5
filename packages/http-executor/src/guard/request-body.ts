import type { Violation } from '@gatehouse/contracts';
import { JsonFault, JsonScanner, JsonText, JsonToken } from '@gatehouse/json-text';
import { charsetIn, decodeText } from '../charset.ts';
import { MAX_JSON_DEPTH } from '../limits.ts';
import { writeForm } from './form.ts';

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
  if (json === undefined) return invalidBody(TOO_DEEP);
  const isObject = json.text.startsWith('{');
  if (type === FORM && isObject) return formOf(json.text, maxFormBytes);
  if (!isWithinDepth(json.text)) return invalidBody(TOO_DEEP);
  if (type === undefined || isJsonType(type)) return { text: json.text };
  if (json.text.startsWith('"')) return textOf(json);
  if (type === FORM) return invalidBody('must be an object or a string for a form');
  const instead = type.startsWith('multipart/')
    ? `, its parts written out; for fields without files, use \`${FORM}\``
    : '; for JSON, set a JSON content type or none';
  return invalidBody(`must be a string under the content type \`${type}\`${instead}`);
}

const TOO_DEEP = `must nest at most ${MAX_JSON_DEPTH} levels deep`;

const FORM = 'application/x-www-form-urlencoded';

function invalidBody(message: string): { readonly violation: Violation } {
  return { violation: { pointer: '/body', message } };
}

function isReadBy(charset: string, text: string): boolean {
  return /^utf-?8$/i.test(charset) || decodeText(Buffer.from(text), charset) === text;
}

/** Undefined when it nests too deep for `JSON.stringify`. */
function jsonOf(body: unknown): JsonText | undefined {
  try {
    return JsonText.of(body);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function isWithinDepth(text: string): boolean {
  try {
    const scanner = new JsonScanner(Buffer.from(text), MAX_JSON_DEPTH);
    while (scanner.next() !== JsonToken.End);
    return true;
  } catch (error) {
    if (error instanceof JsonFault) return false;
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
  const text = String(json.parse());
  return text.isWellFormed() ? { text } : invalidBody(HALF_CHARACTER);
}

const HALF_CHARACTER =
  'must not hold half a surrogate pair unless it is sent as JSON: UTF-8 has no such character';

function formOf(text: string, maxBytes: number): SentBody {
  const form = writeForm(Buffer.from(text), maxBytes);
  return 'fault' in form ? invalidBody(FORM_FAULTS[form.fault](maxBytes)) : form;
}

const FORM_FAULTS = {
  'half character': () => HALF_CHARACTER,
  shape: () =>
    'must be an object of strings, numbers, booleans and arrays of those, or a string, under a form content type',
  size: (maxBytes: number) =>
    `becomes a form of more than ${maxBytes} bytes; send fewer or shorter fields`,
};
