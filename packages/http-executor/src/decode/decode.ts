import { isUtf8 } from 'node:buffer';
import type { ResponseType } from '@gatehouse/contracts';
import { JsonFault, JsonScanner, JsonToken, withoutByteOrderMark } from '@gatehouse/json-text';
import { MAX_JSON_DEPTH } from '../limits.ts';
import { charsetOf, decodeText } from '../text.ts';

export interface BodyFacts {
  readonly type: ResponseType;
  readonly contentType: string | undefined;
  /** True if the end of the body is missing. */
  readonly cut: boolean;
  /** Maximum number of characters to quote from a body that is not of the requested type. */
  readonly textChars: number;
}

export type Decoded =
  /** JSON in UTF-8, exactly as received. */
  | { readonly kind: 'json'; readonly document: Buffer }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'base64'; readonly bytes: Buffer };

/** The beginning of a body with the wrong type, converted to UTF-8 if its charset is known. */
export interface Beginning extends Pick<BodyFacts, 'textChars' | 'cut'> {
  readonly kind: 'beginning';
  readonly bytes: Buffer;
  /** Completes the sentence "the response body is …". */
  readonly reason: string;
}

/** A body with the wrong type is cut to this size, because callers see only an excerpt of it. */
export const MAX_BEGINNING_BYTES = 64 * 1024;

export function decode(bytes: Buffer, facts: BodyFacts): Decoded | Beginning {
  let reason = 'cut off';
  // An empty body counts as `null`, whatever the requested type.
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

/** Decodes a body, or returns a reason that completes the sentence "the response body is …". */
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

/** Control characters found only in binary data (MIME Sniffing standard, "binary data byte"). */
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/**
 * A body written as a JSON string may take at most twice its own size plus this many bytes. The
 * other members of the response share the rest of the 64 KiB that docs/contract.md allows.
 */
const FREE_BYTES = 16 * 1024;

const asText: Read = (bytes, { contentType, type }) => {
  const charset = charsetOf(bytes, contentType);
  const text = decodeText(bytes, charset);
  if (text === undefined) return `not valid text in the charset \`${charset}\``;
  if (type === 'auto' && BINARY.test(text)) return 'binary';
  if (Buffer.byteLength(JSON.stringify(text)) > 2 * bytes.length + FREE_BYTES)
    return 'text that becomes too large when written as a JSON string';
  return { kind: 'text', text };
};

const asBase64: Read = (bytes) => ({ kind: 'base64', bytes });

/** The decoders to try for each response type, in order. */
const READS: Readonly<Record<ResponseType, readonly Read[]>> = {
  json: [asJson],
  text: [asText],
  base64: [asBase64],
  auto: [asJson, asText, asBase64],
};

/** Converts a body to JSON, which is then validated and shown to the caller. */
export function toJson(decoded: Decoded): Buffer {
  if (decoded.kind === 'json') return decoded.document;
  if (decoded.kind === 'text') return Buffer.from(JSON.stringify(decoded.text));
  // Base64 contains no character that JSON must escape.
  return Buffer.from(`"${decoded.bytes.toString('base64')}"`, 'latin1');
}
