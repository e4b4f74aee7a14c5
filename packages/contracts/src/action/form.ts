import { JsonScanner } from '../json/scanner.ts';
import { JsonToken } from '../json/tokens.ts';
import { failure, type Result, success } from '../result.ts';
import { HALF_CHARACTER, shorten } from './text.ts';

const MAX_NAME_CHARS = 100;

interface Encoding {
  readonly encode: (text: string) => string;
  readonly maxBytes: number;
  /** Reason for refusing fields that are longer than `maxBytes`. */
  readonly tooLarge: string;
  /** Reason for refusing a field that is neither a scalar nor a list of scalars. */
  readonly unsuitable: (name: string) => string;
}

/**
 * Encodes a JSON object of scalars and arrays of scalars as a form (URL Standard, section 5.2), or
 * says what is wrong with it, such as "is too long".
 */
export function encodeForm(json: Buffer, maxBytes: number): Result<string> {
  return encodeFields(json, {
    encode: encodeFormField,
    maxBytes,
    tooLarge: `is longer than ${maxBytes} bytes when encoded as a form; send fewer or shorter fields`,
    unsuitable: (name) =>
      `is sent as a form, so \`${name}\` must be a string, a number, a boolean or a list of those; to send nested values, name the fields \`a[b]\``,
  });
}

/**
 * Encodes the members of a JSON object as `name=value`, joined by `&`. An array repeats its name.
 * Stops at `maxBytes`, because the result can be far larger than the JSON.
 */
export function encodeFields(json: Buffer, encoding: Encoding): Result<string> {
  const { encode, maxBytes } = encoding;
  const scanner = new JsonScanner(json);
  // Decode the JSON once, because decoding each of 500,000 numbers separately would be slow.
  const ascii = json.toString('latin1');
  const tooLarge = failure(encoding.tooLarge);
  const fields: string[] = [];
  let name = '';
  let encodedName = '';
  let bytes = -1;
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
    if (isFormShape(token, scanner.depth)) continue;

    const scalar = readFormValue(token, scanner, ascii);
    if (scalar === undefined) return failure(encoding.unsuitable(shorten(name, MAX_NAME_CHARS)));

    if (!scalar.isWellFormed()) return failure(HALF_CHARACTER);

    if (token === JsonToken.Key) {
      name = scalar;
      encodedName = encode(name);
      continue;
    }

    if (bytes + scalar.length > maxBytes) return tooLarge;

    const field = `${encodedName}=${encode(scalar)}`;
    fields.push(field);
    bytes += field.length + '&'.length;
    if (bytes > maxBytes) return tooLarge;
  }
  return success(fields.join('&'));
}

/** Returns the text of a JSON string, number or boolean, or undefined for any other token. */
function readFormValue(token: JsonToken, scanner: JsonScanner, ascii: string): string | undefined {
  if (token === JsonToken.Key || token === JsonToken.String) return JSON.parse(scanner.written);
  const written = ascii.slice(scanner.start, scanner.end);
  return token < JsonToken.Key || written === 'null' ? undefined : written;
}

function isFormShape(token: JsonToken, depth: number): boolean {
  if (token === JsonToken.BeginObject) return depth === 1;
  if (token === JsonToken.BeginArray) return depth === 2;
  return token === JsonToken.EndObject || token === JsonToken.EndArray;
}

/** Characters that `encodeURIComponent` encodes differently than a form. */
const FORM_ESCAPES = /[!'()~]|%20/g;

/** Percent-encodes a field name or value (URL Standard, "application/x-www-form-urlencoded"). */
function encodeFormField(text: string): string {
  return encodeURIComponent(text).replace(FORM_ESCAPES, (found) =>
    found === '%20' ? '+' : `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
