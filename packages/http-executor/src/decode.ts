import { isUtf8 } from 'node:buffer';
import { MAX_JSON_DEPTH, nestsTooDeep } from './json-depth.ts';

/** What the bytes of a body are: JSON (`null` when empty), or text with the reason why not. */
export type DecodedBody =
  | { readonly json: unknown; readonly text: string }
  | { readonly text: string; readonly why: string };

const NOT_JSON = 'not JSON in UTF-8';
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Reads bytes as JSON in UTF-8, whatever the content type says: what parses is JSON. */
export function decodeBody(bytes: Buffer): DecodedBody {
  if (bytes.length === 0) return { json: null, text: 'null' };
  const text = withoutMark(bytes).toString();
  if (!isUtf8(bytes)) return { text, why: NOT_JSON };
  try {
    const json: unknown = JSON.parse(text);
    // So short a text has no room for so many brackets.
    return text.length > 2 * MAX_JSON_DEPTH && nestsTooDeep(json)
      ? { text, why: `nested deeper than ${MAX_JSON_DEPTH} levels` }
      : { json, text };
  } catch {
    return { text, why: NOT_JSON };
  }
}

/** Without the byte order mark, which `JSON.parse` would reject. */
function withoutMark(bytes: Buffer): Buffer {
  const marked = bytes[0] === BYTE_ORDER_MARK[0] && bytes.indexOf(BYTE_ORDER_MARK) === 0;
  return marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}
