import type { Violation } from '@gatehouse/contracts';
import { JsonFault, JsonScanner, JsonText, JsonToken } from '@gatehouse/json-text';
import { charsetIn, mediaType } from '../content-type.ts';
import { MAX_JSON_DEPTH } from '../limits.ts';
import { decodeText } from '../text.ts';
import { encodeForm, HALF_CHARACTER } from './form-body.ts';

type SentBody = { readonly text: string } | { readonly violation: Violation };

/**
 * Encodes the body according to its content type (docs/contract.md, "Request body"):
 * 1. if the body is `null`, no body is sent;
 * 2. if the content type is JSON or missing, any value is sent as JSON;
 * 3. if the content type is a form, an object is sent as a form;
 * 4. if the content type is anything but JSON, a string is sent as text.
 * Refuses a content type whose charset, such as UTF-16, does not match the UTF-8 body.
 */
export function readBody(
  body: unknown,
  contentType: string | undefined,
  maxRequestBytes: number,
): SentBody | { readonly text: undefined } {
  if (body == null) return { text: undefined };
  const read = readByType(body, mediaType(contentType), FORM_SIZE_FACTOR * maxRequestBytes);
  const charset = charsetIn(contentType);
  if (charset === undefined || 'violation' in read || isDecodedBy(charset, read.text)) return read;
  return invalidBody(
    `is sent in UTF-8, but the content type declares \`${charset}\`; set its charset to \`utf-8\`, or leave the charset out`,
  );
}

/** Forms may be this many times as large as other bodies, because form encoding enlarges data. */
const FORM_SIZE_FACTOR = 2;

function readByType(body: unknown, type: string | undefined, maxFormBytes: number): SentBody {
  const json = toJsonText(body);
  if (json === undefined) return invalidBody(`must be at most ${MAX_JSON_DEPTH} levels deep`);
  if (type === FORM && json.text.startsWith('{')) {
    const form = encodeForm(Buffer.from(json.text), maxFormBytes);
    return 'fault' in form ? invalidBody(form.fault) : form;
  }
  if (type === undefined || type === 'application/json' || type.endsWith('+json'))
    return { text: json.text };
  if (json.text.startsWith('"')) {
    const text = String(json.parse());
    return text.isWellFormed() ? { text } : invalidBody(HALF_CHARACTER);
  }
  if (type === FORM)
    return invalidBody(`must be an object or a string if the content type is \`${FORM}\``);
  const instead = type.startsWith('multipart/')
    ? `; encode the multipart body yourself or, if no field is a file, use \`${FORM}\``
    : '; to send JSON, set the content type to `application/json`';
  return invalidBody(`must be a string if the content type is \`${type}\`${instead}`);
}

const FORM = 'application/x-www-form-urlencoded';

function invalidBody(message: string): { readonly violation: Violation } {
  return { violation: { pointer: '/body', message } };
}

function isDecodedBy(charset: string, text: string): boolean {
  return /^utf-?8$/i.test(charset) || decodeText(Buffer.from(text), charset) === text;
}

/** Returns undefined if the body is nested too deeply. */
function toJsonText(body: unknown): JsonText | undefined {
  try {
    const json = JsonText.of(body);
    const scanner = new JsonScanner(Buffer.from(json.text), MAX_JSON_DEPTH);
    while (scanner.next() !== JsonToken.End);
    return json;
  } catch (error) {
    if (error instanceof RangeError || error instanceof JsonFault) return undefined;
    throw error;
  }
}
