import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';

export type Draft = 'draft-04' | 'draft-06' | 'draft-07' | '2019-09' | '2020-12';

/** Drafts of JSON Schema by `$schema`, without the scheme and without a `#` at the end. */
const BY_URI: ReadonlyMap<unknown, Draft> = new Map([
  ['json-schema.org/draft-04/schema', 'draft-04'],
  ['json-schema.org/draft-06/schema', 'draft-06'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['spec.openapis.org/oas/3.1/dialect/base', '2020-12'],
]);

export const KNOWN_URIS = [...BY_URI.keys()].map((uri) => `\`https://${uri}\``).join(', ');

/** Returns the draft that `$schema` names, or undefined if that draft is not supported. */
export function draftOf($schema: unknown): Draft | undefined {
  if ($schema === undefined || $schema === null) return '2020-12';
  if (typeof $schema !== 'string') return undefined;
  return BY_URI.get($schema.replace(/^https?:\/\/|#$/g, ''));
}

/** Returns Ajv for a draft. For older drafts, `refusals.ts` refuses what draft-07 changed. */
export function ajvFor(draft: Draft): typeof Ajv {
  if (draft === '2020-12') return Ajv2020;
  return draft === '2019-09' ? Ajv2019 : Ajv;
}

/** True for the drafts in which a `$ref` replaces all members beside it. */
export function isBefore2019(draft: Draft): boolean {
  return draft.startsWith('draft-');
}
