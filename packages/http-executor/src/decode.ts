import { isUtf8 } from 'node:buffer';
import { hasFiniteNumbers, MAX_JSON_DEPTH, nestsTooDeep } from './json-depth.ts';

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
    const why = mayBeUnfit(text) ? unfitness(json) : undefined;
    return why === undefined ? { json, text } : { text, why };
  } catch {
    return { text, why: NOT_JSON };
  }
}

/** Without the byte order mark, which `JSON.parse` would reject. */
function withoutMark(bytes: Buffer): Buffer {
  const marked = bytes[0] === BYTE_ORDER_MARK[0] && bytes.indexOf(BYTE_ORDER_MARK) === 0;
  return marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

/** So short a text has no room for so many brackets or digits; a huge number needs an exponent then. */
const SHORT_CHARS = 300;
const HUGE_EXPONENT = /\d[eE]\+?\d{3}/;

function mayBeUnfit(text: string): boolean {
  return text.length > SHORT_CHARS || HUGE_EXPONENT.test(text);
}

/** Why a value that was parsed cannot be passed on as it is. */
function unfitness(json: unknown): string | undefined {
  if (nestsTooDeep(json)) return `nested deeper than ${MAX_JSON_DEPTH} levels`;
  return hasFiniteNumbers(json) ? undefined : 'JSON with a number that is too large to be passed on';
}
