import { isUtf8 } from 'node:buffer';
import type { ResponseType } from '@gatehouse/contracts';
import { JsonFault, JsonScanner, JsonToken, withoutByteOrderMark } from '@gatehouse/json-text';
import { charsetOf, decodeText } from '../charset.ts';
import { MAX_JSON_DEPTH } from '../limits.ts';

/** What is known of a body, and what it should be. */
export interface BodyFacts {
  readonly type: ResponseType;
  /** As the upstream says. */
  readonly contentType: string | undefined;
  /** Reading stopped before the end of the body. */
  readonly cut: boolean;
  /** Characters shown of a body that is not of the type. */
  readonly textChars: number;
}

/** A body in the type that was asked for. */
export type Decoded =
  /** JSON in UTF-8, as the upstream wrote it. */
  | { readonly kind: 'json'; readonly document: Buffer }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'base64'; readonly bytes: Buffer };

/** The beginning of a body of another type, in UTF-8 if its charset is known. */
export interface Beginning {
  readonly kind: 'beginning';
  readonly bytes: Buffer;
  /** Characters to show of it; far fewer than it has. */
  readonly textChars: number;
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
  const text = decodeText(part, charsetOf(part, facts.contentType), cut);
  const beginning = text === undefined ? part : Buffer.from(text);
  return { kind: 'beginning', bytes: beginning, textChars: facts.textChars, reason, cut };
}

/** A body of one type, or why it is not of that type; completes "its body is …". */
type Read = (bytes: Buffer, facts: BodyFacts) => Decoded | string;

const NULL = Buffer.from('null');
const NOT_JSON = 'not JSON in UTF-8';

const asJson: Read = (bytes) => {
  const document = bytes.length === 0 ? NULL : withoutByteOrderMark(bytes);
  if (!isUtf8(document)) return NOT_JSON;
  try {
    const scanner = new JsonScanner(document, MAX_JSON_DEPTH);
    while (scanner.next() !== JsonToken.End);
    return { kind: 'json', document };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return error.reason === 'depth' ? `nested deeper than ${MAX_JSON_DEPTH} levels` : NOT_JSON;
  }
};

/** The control characters of binary data (MIME Sniffing standard, "binary data byte"). */
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

const asText: Read = (bytes, { contentType, type }) => {
  const charset = charsetOf(bytes, contentType);
  const text = decodeText(bytes, charset);
  if (text === undefined) return `not text in the charset \`${charset}\``;
  if (type === 'auto' && BINARY.test(text)) return 'binary';
  if (!fitsAnswer(text, bytes.length)) return 'text that JSON would make too large';
  return { kind: 'text', text };
};

/** Bytes of an answer that are free for a text, besides twice the bytes of the response. */
const FREE_BYTES = 16 * 1024;

/** Whether a text leaves its answer within bounds (contract section 3, "Bounds"). */
function fitsAnswer(text: string, received: number): boolean {
  return Buffer.byteLength(JSON.stringify(text)) <= 2 * received + FREE_BYTES;
}

const asBase64: Read = (bytes) => ({ kind: 'base64', bytes });

/** In the order in which they are tried. */
const READS: Readonly<Record<ResponseType, readonly Read[]>> = {
  json: [asJson],
  text: [asText],
  base64: [asBase64],
  auto: [asJson, asText, asBase64],
};

/** The JSON that a body is shown as, and that its schema is applied to. */
export function jsonOf(decoded: Decoded): Buffer {
  if (decoded.kind === 'json') return decoded.document;
  if (decoded.kind === 'text') return Buffer.from(JSON.stringify(decoded.text));
  // Base64 has nothing that JSON escapes.
  return Buffer.from(`"${decoded.bytes.toString('base64')}"`, 'latin1');
}
