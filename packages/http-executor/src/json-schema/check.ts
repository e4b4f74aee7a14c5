import type { Violation } from '@gatehouse/contracts';
import { reasonsNotToParse } from './body.ts';
import type { CompiledSchema } from './compile.ts';
import { unchecked, violationsOf } from './violations.ts';

/** Returns the first 20 violations of a valid JSON document, or an empty list. */
export function checkBody(
  validate: CompiledSchema,
  document: Buffer,
  maxParsedBytes: number,
): readonly Violation[] {
  const reasons = reasonsNotToParse(document, maxParsedBytes);
  if (reasons.length > 0) return reasons;

  const value: unknown = JSON.parse(document.toString());
  try {
    return validate(value) ? [] : violationsOf(validate.errors ?? []);
  } catch (error) {
    // Ajv calls itself for each `$ref`, and calls methods of members such as `valueOf`.
    const isDeep = error instanceof RangeError;
    return unchecked(isDeep ? 'the schema refers to itself too often' : 'the validator failed');
  } finally {
    validate.errors = null;
  }
}

/** Keywords that can make a check or a compilation slow. */
const SLOW = new RegExp(
  String.raw`"(?:\$\w*[rR]ef|uniqueItems|multipleOf|pattern|patternProperties|unevaluated\w+)":|` +
    '"format":"(?!(?:date-time|date|time|uuid|email|uri|int32|int64|float|double)")',
);

const MAX_INLINE = { schemaChars: 8_192, bytes: 65_536, product: 4 * 1024 * 1024 };

/**
 * Returns the size of the largest body to check on the main thread, or 0: a schema of at most 8 KiB
 * without slow keywords compiles in 50 ms, and checks a body in 100 ms if the product of both sizes
 * is at most 4 MiB.
 */
export function maxInlineBytes(schemaText: string): number {
  const { schemaChars, bytes, product } = MAX_INLINE;
  if (schemaText.length > schemaChars) return 0;
  // Remove blanks, and escapes such as in `"p\u0061ttern"`.
  const text = JSON.stringify(JSON.parse(schemaText));
  return SLOW.test(text) ? 0 : Math.min(bytes, Math.floor(product / text.length));
}
