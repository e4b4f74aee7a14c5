import { JsonScanner } from '../json/scanner.ts';
import { JsonToken } from '../json/tokens.ts';
import { failure, type Result, success } from '../result.ts';
import { MAX_VIOLATION_CHARS, MAX_VIOLATIONS, type Violation } from '../violation.ts';
import { HALF_CHARACTER, shorten } from './text.ts';

interface Encoding {
  /** JSON Pointer to the object. */
  readonly pointer: string;
  readonly encode: (text: string) => string;
  readonly maxBytes: number;
  /** Reason for refusing fields that are longer than `maxBytes`. */
  readonly tooLarge: string;
}

const UNSUITABLE =
  'must be a string, a number, a boolean or a flat list of those; for nested values, name the members `a[b]`';

/** Encodes a JSON object of scalars and arrays of scalars as a form (URL Standard, section 5.2). */
export function encodeForm(json: Buffer, maxBytes: number): Result<string, Violation[]> {
  return encodeFields(json, {
    pointer: '/body',
    encode: encodeFormField,
    maxBytes,
    tooLarge: `is longer than ${maxBytes} bytes when encoded as a form; send fewer or shorter fields`,
  });
}

/**
 * Encodes the members of a JSON object as `name=value`, joined by `&`. An array repeats its name.
 * Stops at `maxBytes`, because the result can be far larger than the JSON, and at 20 violations.
 */
export function encodeFields(json: Buffer, encoding: Encoding): Result<string, Violation[]> {
  const { encode, maxBytes } = encoding;
  const scanner = new JsonScanner(json);
  // Decode the JSON once, because decoding each of 500,000 numbers separately would be slow.
  const ascii = json.toString('latin1');
  const violations: Violation[] = [];
  const fields: string[] = [];
  let encodedName = '';
  let bytes = -1;
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
    if (isFormShape(token, scanner.depth)) continue;

    const scalar = readFormValue(token, scanner, ascii);
    if (!scalar.ok) {
      scanner.skipValue(token);
      violations.push({ pointer: pointerTo(scanner, encoding), message: scalar.reason });
      if (violations.length === MAX_VIOLATIONS) break;
      continue;
    }

    if (token === JsonToken.Key) {
      encodedName = encode(scalar.value);
      continue;
    }

    const field = `${encodedName}=${encode(scalar.value)}`;
    fields.push(field);
    bytes += field.length + '&'.length;
    if (bytes > maxBytes) {
      violations.push({ pointer: encoding.pointer, message: encoding.tooLarge });
      break;
    }
  }
  return violations.length > 0 ? failure(violations) : success(fields.join('&'));
}

/** Returns a shortened pointer, so that a long name in many pointers cannot bloat a refusal. */
const pointerTo = (scanner: JsonScanner, { pointer }: Encoding) =>
  shorten(pointer + scanner.pointer(MAX_VIOLATION_CHARS), MAX_VIOLATION_CHARS);

/** Returns the text of a name, or of a JSON string, number or boolean. */
function readFormValue(token: JsonToken, scanner: JsonScanner, ascii: string): Result<string> {
  if (token === JsonToken.Key || token === JsonToken.String) {
    const text: string = JSON.parse(scanner.written);
    return text.isWellFormed() ? success(text) : failure(HALF_CHARACTER);
  }
  const written = ascii.slice(scanner.start, scanner.end);
  return token < JsonToken.Key || written === 'null' ? failure(UNSUITABLE) : success(written);
}

function isFormShape(token: JsonToken, depth: number): boolean {
  if (token === JsonToken.BeginObject) return depth === 1;
  if (token === JsonToken.BeginArray) return depth === 2;
  return token === JsonToken.EndObject || token === JsonToken.EndArray;
}

/** Characters that stay as they are, so that texts such as numbers need no encoding. */
const PLAIN = /^[\w*.-]*$/;

/** Replacements for what `encodeURIComponent` returns. */
const FORM_ESCAPES = [
  ['%20', '+'],
  ['!', '%21'],
  ["'", '%27'],
  ['(', '%28'],
  [')', '%29'],
  ['~', '%7E'],
] as const;

/** Percent-encodes a field name or value (URL Standard, "application/x-www-form-urlencoded"). */
function encodeFormField(text: string): string {
  if (PLAIN.test(text)) return text;
  return FORM_ESCAPES.reduce(
    (encoded, [from, to]) => encoded.replaceAll(from, to),
    encodeURIComponent(text),
  );
}
