import { pointerToken, type Violation } from '@gatehouse/contracts';
import { type Draft, draftOf, isBefore2019 } from './dialects.ts';
import { reasonForNoSchema } from './keywords.ts';
import { reasonForPattern } from './patterns.ts';
import type { Place } from './places.ts';

/** Returns the first place that Ajv would check otherwise than the draft says. */
export function refusalOf(places: readonly Place[], draft: Draft): Violation | undefined {
  const keywords = new Set(places.flatMap(({ schema }) => Object.keys(schema)));
  for (const place of places)
    for (const [keyword, reasonFor] of CHECKS) {
      if (!Object.hasOwn(place.schema, keyword)) continue;
      const value = place.schema[keyword];
      const message = reasonFor({ ...place, value, draft, keywords });
      if (message) return { pointer: `${place.pointer}/${pointerToken(keyword)}`, message };
    }
  const message = places[0] && reasonForNoSchema(places[0].schema);
  return message === undefined ? undefined : { pointer: '', message };
}

/** Value of a keyword at a place. */
interface Found extends Place {
  readonly value: unknown;
  readonly draft: Draft;
  /** Keywords anywhere in the whole schema. */
  readonly keywords: ReadonlySet<string>;
}

/** Returns the reason to refuse a keyword, if there is one. */
type Check = (found: Found) => string | false | undefined;

const compared: Check = ({ value }) =>
  /"(?:constructor|toString|valueOf)":/.test(JSON.stringify(value)) &&
  'must not contain a member `constructor`, `toString` or `valueOf`';

const later: Check = ({ draft }) =>
  draft === 'draft-04' && 'means nothing in draft-04; name draft-07 in `$schema`';

const dynamic: Check = ({ draft }) =>
  !isBefore2019(draft) && 'is not supported; write `$ref` instead';

const inLoop: Check = ({ isLooped }) =>
  isLooped &&
  'is not supported in a schema for several items or members; move that schema under `$defs` ' +
    'and refer to it with `$ref`';

/** Refuses the boolean of draft-04 and OpenAPI 3.0, which makes the limit beside it exclusive. */
const exclusive =
  (limit: string): Check =>
  ({ value }) => {
    if (typeof value !== 'boolean') return undefined;
    if (!value) return 'must be a number; leave it out instead of writing `false`';
    return `must be a number; move the value of \`${limit}\` here`;
  };

/** Refuses an identifier that is not at the root, and that gives a schema its own base URI. */
const identifier: Check = ({ value, pointer }) =>
  typeof value === 'string' &&
  pointer !== '' &&
  !value.startsWith('#') &&
  'is not supported here; leave it out';

const hasUnevaluated = ({ keywords, draft }: Found) =>
  !isBefore2019(draft) &&
  (keywords.has('unevaluatedProperties') || keywords.has('unevaluatedItems'));

const unevaluated: Check = (found) => hasUnevaluated(found) && inLoop(found);

/** Checks by keyword. Examples are in docs/response-schemas.md. */
const CHECKS: readonly (readonly [keyword: string, check: Check])[] = [
  ['$async', () => 'is known to Ajv only; leave it out'],
  ['$schema', (found) => draftOf(found.value) !== found.draft && 'must be the same as at the root'],
  ['$dynamicRef', dynamic],
  ['$recursiveRef', dynamic],
  ['$id', (found) => found.schema.$ref !== undefined && identifier(found)],
  ['id', (found) => found.draft === 'draft-04' && identifier(found)],
  ['const', compared],
  ['enum', compared],
  ['const', later],
  ['contains', later],
  ['propertyNames', later],
  ['if', (found) => later(found) || (found.draft === 'draft-06' && 'means nothing in draft-06')],
  ['exclusiveMinimum', exclusive('minimum')],
  ['exclusiveMaximum', exclusive('maximum')],
  ['pattern', ({ value }) => reasonForPattern(value)],
  [
    'patternProperties',
    ({ value }) =>
      Object.keys(value ?? {})
        .map(reasonForPattern)
        .find(Boolean),
  ],
  [
    'properties',
    ({ value }) =>
      Object.hasOwn(value ?? {}, '__proto__') &&
      'must not have a member `__proto__`; use `patternProperties`',
  ],
  [
    'items',
    ({ value, draft }) =>
      Array.isArray(value) &&
      draft === '2020-12' &&
      'must be one schema; use `prefixItems`, or name an older draft in `$schema`',
  ],
  // In a loop, Ajv takes the result of one array for an empty array that follows.
  ['contains', (found) => !(Number(found.schema.minItems) > 0) && inLoop(found)],
  ['unevaluatedProperties', unevaluated],
  ['unevaluatedItems', unevaluated],
  [
    'unevaluatedItems',
    (found) =>
      hasUnevaluated(found) &&
      (typeof found.value !== 'boolean' || found.keywords.has('contains')) &&
      'must be true or false, in a schema without `contains`',
  ],
  [
    'if',
    (found) =>
      hasUnevaluated(found) &&
      [undefined, true].includes(found.schema.then as true) &&
      'needs a `then` in a schema with `unevaluatedProperties` or `unevaluatedItems`',
  ],
];
