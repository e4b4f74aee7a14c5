/**
 * Words that Ajv judges otherwise than the drafts, or not at all: dynamic references,
 * `unevaluated…` and `nullable` beside branches, names like `__proto__`, references into meta-schemas.
 */
const BEYOND_AJV =
  /"(?:\$dynamicRef|\$recursiveRef|unevaluatedItems|unevaluatedProperties|__proto__)":|"nullable":true|"\$ref":"https?:\/\/json-schema\.org\//;

/** Identifiers of a schema and of those that it embeds; Ajv mistakes the base of the latter. */
const IDENTIFIERS = /"\$id":"(?!#)/g;

/** The code that Ajv writes for a larger schema takes much memory. */
const MAX_AJV_CHARS = 64 * 1024;

/** Whether Ajv must not judge a schema, given as JSON text. */
export function isBeyondAjv(text: string): boolean {
  if (text.length > MAX_AJV_CHARS) return true;
  const [first, second] = text.matchAll(IDENTIFIERS);
  return BEYOND_AJV.test(text) || second !== undefined || (first !== undefined && first.index > 1);
}
