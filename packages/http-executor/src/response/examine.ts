import { isUtf8 } from 'node:buffer';
import type { ResponseType } from '@gatehouse/contracts';
import { JsonFault } from '@gatehouse/json-text';
import { charsetOf, isInUtf8 } from '../charset.ts';
import {
  type Excerpt,
  MAX_EXCERPT_BYTES,
  quotedBase64,
  type RedactedBody,
  redactBase64,
  redactExcerpt,
  redactJson,
  redactText,
} from '../redact/body.ts';
import { type Search, TooManyEchoes } from '../redact/search.ts';
import { decode, NOT_JSON, reasonOf } from './decode.ts';
import { checkSyntax, type Validate } from './read-for-schema.ts';
import { fitsAnswer, isBinary, readText } from './text.ts';

/** What is known of a body, and what it should be. */
export interface BodyFacts {
  readonly type: ResponseType;
  /** As the upstream says. */
  readonly contentType: string | undefined;
  /** Characters shown of a body that is not of the type. */
  readonly textChars: number;
  /** Reading stopped before the end of the body. */
  readonly cut: boolean;
}

export interface ExamineOptions extends BodyFacts {
  /** Absent when the request has no secrets. */
  readonly search: Search | undefined;
  /** Of `body` as it is shown; absent when no schema applies. */
  readonly validate: Validate | undefined;
}

/** A body after decode, validate and redact. */
export type Examined = RedactedBody | Excerpt | Withheld;

interface Withheld {
  readonly kind: 'withheld';
  /** Completes "its body …". */
  readonly reason: string;
}

export const withheld = (reason: string): Withheld => ({ kind: 'withheld', reason });

/**
 * decode → validate → redact. JSON comes back byte for byte without its secrets, whatever
 * the content type says; of what is not of the type asked for, the beginning. Pure, in
 * time and memory linear in the body.
 */
export function examineBody(bytes: Buffer, options: ExamineOptions): Examined {
  try {
    return examine(bytes, options);
  } catch (error) {
    if (!(error instanceof TooManyEchoes)) throw error;
    return withheld('repeats the credentials of the request too often');
  }
}

/** A body of the type, or why it is none; completes "its body is …". */
type Read = (bytes: Buffer, options: ExamineOptions) => RedactedBody | string;

const asJson: Read = (bytes, options) => {
  const body = readJson(decode(bytes), options);
  if (typeof body !== 'string') return body;
  const utf8 = fromOtherCharset(bytes, options);
  return utf8 === undefined ? body : readJson(utf8, options);
};

function readJson(document: Buffer, { validate = checkSyntax, search }: ExamineOptions) {
  if (!isUtf8(document)) return NOT_JSON;
  try {
    return redactJson(document, validate(document), search);
  } catch (error) {
    if (error instanceof JsonFault) return reasonOf(error);
    throw error;
  }
}

/** JSON of old servers may be in latin1 or UTF-16, if its charset or byte order mark says so. */
function fromOtherCharset(bytes: Buffer, options: ExamineOptions): Buffer | undefined {
  if (isInUtf8(charsetOf(bytes, options.contentType))) return undefined;
  const read = readText(bytes, options);
  return 'text' in read && fitsAnswer(read.text, bytes.length) ? Buffer.from(read.text) : undefined;
}

const asText: Read = (bytes, { validate, ...options }) => {
  const read = readText(bytes, options);
  if ('reason' in read) return read.reason;
  if (options.type === 'auto' && isBinary(read.text)) return 'binary';
  if (!fitsAnswer(read.text, bytes.length)) return 'text that JSON would make too large';
  const violations = validate?.(Buffer.from(JSON.stringify(read.text))) ?? [];
  return redactText(read.text, violations, options.search);
};

const asBase64: Read = (bytes, { validate, search }) =>
  redactBase64(bytes, validate?.(quotedBase64(bytes)) ?? [], search);

/** In the order in which they are tried. */
const READS: Readonly<Record<ResponseType, readonly Read[]>> = {
  json: [asJson],
  text: [asText],
  base64: [asBase64],
  auto: [asJson, asText, asBase64],
};

function examine(bytes: Buffer, options: ExamineOptions): Examined {
  let reason = 'cut off';
  // An empty body is `null` in any type.
  const type = bytes.length === 0 ? 'json' : options.type;
  for (const read of options.cut ? [] : READS[type]) {
    const body = read(bytes, options);
    if (typeof body !== 'string') return body;
    reason = body;
  }
  return excerptOf(bytes, reason, options);
}

function excerptOf(bytes: Buffer, reason: string, options: ExamineOptions): Excerpt {
  const part = bytes.subarray(0, MAX_EXCERPT_BYTES);
  const cut = options.cut || part.length < bytes.length;
  const read = readText(part, { ...options, cut });
  const utf8 = 'text' in read ? Buffer.from(read.text) : part;
  return redactExcerpt(utf8, reason, { ...options, cut });
}
