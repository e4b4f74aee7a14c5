import { JsonScanner, JsonToken } from '@gatehouse/json-text';

/** An encoded form, or why there is none. */
export type Form =
  | { readonly text: string }
  | { readonly fault: 'shape' | 'size' | 'half character' };

/**
 * Writes a JSON object of scalars, and of arrays of those, as
 * `application/x-www-form-urlencoded` (URL Standard, section 5.2). Numbers keep their digits.
 * Each item of an array repeats the member's name, so that a form may be far larger than its
 * request; we stop at `maxBytes`.
 */
export function writeForm(json: Buffer, maxBytes: number): Form {
  const scanner = new JsonScanner(json);
  // Numbers are sliced from this, because decoding each of 500,000 takes too long.
  const ascii = json.toString('latin1');
  const fields: string[] = [];
  let name = '';
  let bytes = -1;
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
    if (isFormShape(token, scanner.depth)) continue;
    const scalar = scalarOf(token, scanner, ascii);
    if (scalar === undefined) return { fault: 'shape' };
    if (!scalar.isWellFormed()) return { fault: 'half character' };
    if (token === JsonToken.Key) {
      name = encode(scalar);
      continue;
    }
    const field = `${name}=${encode(scalar)}`;
    fields.push(field);
    bytes += field.length + '&'.length;
    if (bytes > maxBytes) return { fault: 'size' };
  }
  return { text: fields.join('&') };
}

/** A string, or a number, `true` or `false` as it is written; undefined for anything else. */
function scalarOf(token: JsonToken, scanner: JsonScanner, ascii: string): string | undefined {
  if (token === JsonToken.Key || token === JsonToken.String) return JSON.parse(scanner.written);
  const written = ascii.slice(scanner.start, scanner.end);
  return token < JsonToken.Key || written === 'null' ? undefined : written;
}

/** The object itself, and arrays of scalars in it. */
function isFormShape(token: JsonToken, depth: number): boolean {
  if (token === JsonToken.BeginObject) return depth === 1;
  if (token === JsonToken.BeginArray) return depth === 2;
  return token === JsonToken.EndObject || token === JsonToken.EndArray;
}

/** What a form writes as it is. */
const SAFE = /^[\w.*-]*$/;

function encode(text: string): string {
  return SAFE.test(text) ? text : new URLSearchParams([['', text]]).toString().slice(1);
}
