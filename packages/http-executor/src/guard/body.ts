import { JsonFault, JsonScanner, JsonText, JsonToken } from '@gatehouse/contracts/json';
import { MAX_JSON_DEPTH } from '../limits.ts';
import { failure, type Result, success } from '../result.ts';
import { charsetIn, decodeText, mediaType } from '../text.ts';
import { encodeForm, HALF_CHARACTER } from './form.ts';

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
): Result<string | undefined> {
  if (body == null) return success(undefined);
  const read = readByType(body, mediaType(contentType), FORM_SIZE_FACTOR * maxRequestBytes);
  const charset = charsetIn(contentType);
  if (charset === undefined || !read.ok || isDecodedBy(charset, read.value)) return read;
  return failure(
    `is sent in UTF-8, but the content type declares \`${charset}\`; set its charset to \`utf-8\`, or leave the charset out`,
  );
}

/** Forms may be this many times as large as other bodies, because form encoding enlarges data. */
const FORM_SIZE_FACTOR = 2;

const FORM = 'application/x-www-form-urlencoded';

function readByType(body: unknown, type: string | undefined, maxFormBytes: number): Result<string> {
  const json = toJsonText(body);
  if (json === undefined) return failure(`must be at most ${MAX_JSON_DEPTH} levels deep`);
  if (type === FORM && json.text.startsWith('{'))
    return encodeForm(Buffer.from(json.text), maxFormBytes);

  if (type === undefined || type === 'application/json' || type.endsWith('+json'))
    return success(json.text);

  if (json.text.startsWith('"')) {
    const text = String(json.parse());
    return text.isWellFormed() ? success(text) : failure(HALF_CHARACTER);
  }

  if (type === FORM)
    return failure(`must be an object or a string if the content type is \`${FORM}\``);
  const instead = type.startsWith('multipart/')
    ? `; encode the multipart body yourself or, if no field is a file, use \`${FORM}\``
    : '; to send JSON, send the body as a string that holds the JSON text, or set the content type to `application/json`';
  return failure(`must be a string if the content type is \`${type}\`${instead}`);
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
