import type { TranslatedSchema } from './ajv.ts';

/** Matches keywords that can make a check slow, such as `$ref`, `pattern` and `uniqueItems`. */
const SLOW_KEYWORD =
  /"(?:\$(?:dynamic|recursive)?[rR]ef|uniqueItems|multipleOf|pattern|patternProperties|unevaluatedItems|unevaluatedProperties)":|"format":"(?!(?:date-time|date|time|uuid|email|uri|int32|int64|float|double)")/;

/** Size limits within which a check takes about 25 ms if the schema has no slow keywords. */
const QUICK = { schemaChars: 8 * 1024, schemaCharsTimesBytes: 4 * 1024 * 1024 };

/** True if a body of this size can be checked so quickly that no timer is needed. */
export function isQuickCheck({ text }: TranslatedSchema, bytes: number): boolean {
  if (text.length > QUICK.schemaChars || text.length * bytes > QUICK.schemaCharsTimesBytes)
    return false;
  return !SLOW_KEYWORD.test(text);
}
