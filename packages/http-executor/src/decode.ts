import { MAX_JSON_DEPTH, nestsTooDeep } from './json-depth.ts';

/** What the bytes of a body are: JSON (`null` when empty), or text with the reason why not. */
export type DecodedBody =
  | { readonly json: unknown; readonly text: string }
  | { readonly text: string; readonly why: string };

/** Reads bytes as JSON in UTF-8, whatever the content type says: what parses is JSON. */
export function decodeBody(bytes: Uint8Array): DecodedBody {
  if (bytes.length === 0) return { json: null, text: 'null' };
  const text = new TextDecoder().decode(bytes);
  try {
    const strict = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const json: unknown = JSON.parse(strict);
    return nestsTooDeep(json) ? { text, why: `nested deeper than ${MAX_JSON_DEPTH} levels` } : { json, text: strict };
  } catch {
    return { text, why: 'not JSON in UTF-8' };
  }
}
