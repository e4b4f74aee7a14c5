import { type ActionArguments, MAX_JSON_DEPTH } from '../executor/execution.ts';
import { JsonText } from '../json/json-text.ts';
import { JsonScanner } from '../json/scanner.ts';
import { JsonFault, JsonToken } from '../json/tokens.ts';
import { failure, type Result, success } from '../result.ts';
import type { Violation } from '../violation.ts';
import { decodeBase64 } from './base64.ts';
import { encodeForm } from './form.ts';
import { encodeMultipart } from './multipart.ts';
import { charsetIn, decodeText, HALF_CHARACTER, mediaType } from './text.ts';

/** The body of a request, and its content type. Both are undefined if no body is sent. */
export interface EncodedBody {
  readonly content: string | Buffer | undefined;
  readonly contentType: string | undefined;
}

/**
 * Encodes the body. The first case that applies decides (docs/contract.md, "Request body"):
 * 1. with `body_type: "base64"`, the decoded bytes are sent;
 * 2. with `multipart/form-data`, an object is sent as parts, and anything else is refused;
 * 3. if the body is `null`, no body is sent;
 * 4. with a form as content type, an object is sent as a form;
 * 5. with JSON as content type, or none, any value is sent as JSON;
 * 6. otherwise, a string is sent as text.
 * In cases 4 to 6, refuses a charset, such as UTF-16, that does not match the UTF-8 body.
 */
export function encodeBody(
  { body = null, body_type }: Pick<ActionArguments, 'body' | 'body_type'>,
  headers: ReadonlyMap<string, string>,
  maxRequestBytes: number,
): Result<EncodedBody, Violation[]> {
  const given = headers.get('content-type');
  const type = mediaType(given);
  if (body_type === 'base64') return readBytes(body, given, type);

  const json = toJsonText(body);
  if (json === undefined) return refuse(TOO_DEEP);

  const maxBytes = FORM_SIZE_FACTOR * maxRequestBytes;
  if (type === MULTIPART) return readMultipart(json, given, maxBytes);

  if (body === null) return success(NOTHING);

  const read = readByType(json, type, maxBytes);
  if (!read.ok) return read;

  const charset = charsetIn(given);
  if (charset === undefined || isDecodedBy(charset, read.value))
    return success({ content: read.value, contentType: given || 'application/json' });

  return refuse(
    `is sent in UTF-8, but the content type declares \`${charset}\`; set its charset to \`utf-8\`, or leave the charset out`,
  );
}

const NOTHING: EncodedBody = { content: undefined, contentType: undefined };

export const TOO_DEEP = `must be at most ${MAX_JSON_DEPTH} levels deep`;

const refuse = (message: string, pointer = '/body') => failure([{ pointer, message }]);

/** Forms may be this many times as large as other bodies, because form encoding enlarges data. */
const FORM_SIZE_FACTOR = 2;

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

/** True if a body of this content type is sent as fields, in which numbers are text. */
export function isSentAsFields(contentType: string | undefined): boolean {
  const type = mediaType(contentType);
  return type === FORM || type === MULTIPART;
}

function readBytes(
  body: unknown,
  given: string | undefined,
  type: string | undefined,
): Result<EncodedBody, Violation[]> {
  if (type === MULTIPART)
    return refuse(
      `must not be set if the content type is \`${MULTIPART}\`; send files as \`{ "filename", "base64" }\` in \`body\``,
      '/body_type',
    );
  const bytes = decodeBase64(body instanceof JsonText ? body.parse() : body);
  if (!bytes.ok) return refuse(bytes.reason);
  return success({ content: bytes.value, contentType: given || 'application/octet-stream' });
}

function readMultipart(
  { text }: JsonText,
  given: string | undefined,
  maxBytes: number,
): Result<EncodedBody, Violation[]> {
  if (/;\s*boundary\s*=/i.test(String(given)))
    return refuse(
      'must have no `boundary`, because the executor chooses it',
      '/headers/content-type',
    );
  if (!text.startsWith('{'))
    return refuse(`must be an object if the content type is \`${MULTIPART}\``);
  return encodeMultipart(Buffer.from(text), maxBytes);
}

function readByType(
  json: JsonText,
  type: string | undefined,
  maxFormBytes: number,
): Result<string, Violation[]> {
  if (type === FORM && json.text.startsWith('{'))
    return encodeForm(Buffer.from(json.text), maxFormBytes);

  if (type === undefined || type === 'application/json' || type.endsWith('+json'))
    return success(json.text);

  if (json.text.startsWith('"')) {
    const text = String(json.parse());
    return text.isWellFormed() ? success(text) : refuse(HALF_CHARACTER);
  }

  if (type === FORM)
    return refuse(`must be an object or a string if the content type is \`${FORM}\``);

  const instead = type.startsWith('multipart/')
    ? `; to send files, use \`${MULTIPART}\``
    : '; to send JSON, send the body as a string that holds the JSON text, or set the content type to `application/json`';
  return refuse(`must be a string if the content type is \`${type}\`${instead}`);
}

function isDecodedBy(charset: string, text: string): boolean {
  return /^utf-?8$/i.test(charset) || decodeText(Buffer.from(text), charset) === text;
}

/** Returns undefined if a value is nested too deeply. */
export function toJsonText(value: unknown): JsonText | undefined {
  try {
    const json = JsonText.of(value);
    const scanner = new JsonScanner(Buffer.from(json.text), MAX_JSON_DEPTH);
    while (scanner.next() !== JsonToken.End);
    return json;
  } catch (error) {
    if (error instanceof RangeError || error instanceof JsonFault) return undefined;
    throw error;
  }
}
