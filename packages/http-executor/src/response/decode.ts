import { isUtf8 } from 'node:buffer';
import type { ResponseType } from '@gatehouse/contracts';
import { JsonFault, JsonScanner, Token, withoutByteOrderMark } from '@gatehouse/json-text';
import { charsetOf, isInUtf8 } from '../charset.ts';
import { MAX_JSON_DEPTH } from '../json-depth.ts';
import { fitsAnswer, isBinary, readText } from './text.ts';

/** What is known of a body, and what it should be. */
export interface BodyFacts {
  readonly type: ResponseType;
  /** As the upstream says. */
  readonly contentType: string | undefined;
  /** Reading stopped before the end of the body. */
  readonly cut: boolean;
}

/** A body in the type that was asked for. */
export type Decoded =
  /** JSON in UTF-8, as the upstream wrote it. */
  | { readonly kind: 'json'; readonly document: Buffer }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'base64'; readonly bytes: Buffer };

/** The beginning of a body that has another type, in UTF-8 if its charset is known. */
export interface Beginning {
  readonly kind: 'beginning';
  readonly bytes: Buffer;
  /** Completes "its body is …". */
  readonly reason: string;
  /** The end of the body is missing. */
  readonly cut: boolean;
}

/** Bytes of a body of which a beginning is shown; what is shown is far shorter. */
export const MAX_BEGINNING_BYTES = 64 * 1024;

/** Reads a body as the type that was asked for. */
export function decode(bytes: Buffer, facts: BodyFacts): Decoded | Beginning {
  let reason = 'cut off';
  // An empty body is `null` in any type.
  const type = bytes.length === 0 ? 'json' : facts.type;
  for (const read of facts.cut ? [] : READS[type]) {
    const decoded = read(bytes, facts);
    if (typeof decoded !== 'string') return decoded;
    reason = decoded;
  }
  const part = bytes.subarray(0, MAX_BEGINNING_BYTES);
  const cut = facts.cut || part.length < bytes.length;
  const read = readText(part, { ...facts, cut });
  const beginning = 'text' in read ? Buffer.from(read.text) : part;
  return { kind: 'beginning', bytes: beginning, reason, cut };
}

/** A body of one type, or why it is not of that type; completes "its body is …". */
type Read = (bytes: Buffer, facts: BodyFacts) => Decoded | string;

const NULL = Buffer.from('null');

const asJson: Read = (bytes, facts) => {
  const document = bytes.length === 0 ? NULL : withoutByteOrderMark(bytes);
  const json = readJson(document);
  if (typeof json !== 'string') return json;
  const utf8 = fromOtherCharset(bytes, facts);
  return utf8 === undefined ? json : readJson(utf8);
};

const asText: Read = (bytes, facts) => {
  const read = readText(bytes, facts);
  if ('reason' in read) return read.reason;
  if (facts.type === 'auto' && isBinary(read.text)) return 'binary';
  if (!fitsAnswer(read.text, bytes.length)) return 'text that JSON would make too large';
  return { kind: 'text', text: read.text };
};

const asBase64: Read = (bytes) => ({ kind: 'base64', bytes });

/** In the order in which they are tried. */
const READS: Readonly<Record<ResponseType, readonly Read[]>> = {
  json: [asJson],
  text: [asText],
  base64: [asBase64],
  auto: [asJson, asText, asBase64],
};

const NOT_JSON = 'not JSON in UTF-8';

function readJson(document: Buffer): Decoded | string {
  if (!isUtf8(document)) return NOT_JSON;
  try {
    const scanner = new JsonScanner(document, MAX_JSON_DEPTH);
    while (scanner.next() !== Token.End);
    return { kind: 'json', document };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return error.reason === 'depth' ? `nested deeper than ${MAX_JSON_DEPTH} levels` : NOT_JSON;
  }
}

/** JSON of old servers may be in latin1 or UTF-16, if its charset or byte order mark says so. */
function fromOtherCharset(bytes: Buffer, facts: BodyFacts): Buffer | undefined {
  if (isInUtf8(charsetOf(bytes, facts.contentType))) return undefined;
  const read = readText(bytes, facts);
  return 'text' in read && fitsAnswer(read.text, bytes.length) ? Buffer.from(read.text) : undefined;
}

/** The JSON that a body is shown as, and that its schema is applied to. */
export function jsonOf(decoded: Decoded): Buffer {
  if (decoded.kind === 'json') return decoded.document;
  if (decoded.kind === 'text') return Buffer.from(JSON.stringify(decoded.text));
  // Base64 has nothing that JSON escapes.
  return Buffer.from(`"${decoded.bytes.toString('base64')}"`, 'latin1');
}
