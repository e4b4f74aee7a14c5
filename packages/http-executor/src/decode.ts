import { isUtf8 } from 'node:buffer';
import { MAX_JSON_DEPTH, nestsTooDeep } from './json-depth.ts';

/** What the bytes of a body are: JSON (`null` when empty), or text with the reason why not. */
export type DecodedBody =
  | { readonly json: unknown; readonly text: string }
  | { readonly text: string; readonly why: string };

const NOT_JSON = 'not JSON in UTF-8';

/** Drops a byte order mark, which `JSON.parse` would reject. */
const utf8 = new TextDecoder();

/** Reads bytes as JSON in UTF-8, whatever the content type says: what parses is JSON. */
export function decodeBody(bytes: Uint8Array): DecodedBody {
  if (bytes.length === 0) return { json: null, text: 'null' };
  const text = utf8.decode(bytes);
  if (!isUtf8(bytes)) return { text, why: NOT_JSON };
  try {
    const json: unknown = JSON.parse(text);
    // So short a text has no room for so many brackets.
    return text.length > 2 * MAX_JSON_DEPTH && nestsTooDeep(json) ? { text, why: `nested deeper than ${MAX_JSON_DEPTH} levels` } : { json, text };
  } catch {
    return { text, why: NOT_JSON };
  }
}
