import { jsonText, mutate, word } from './json.ts';
import type { Random } from './random.ts';

const TYPES = [
  ...['"string"', '"number"', '"integer"', '"object"', '"array"', '"boolean"', '"null"'],
  ...['["string","null"]', '"strin"', '[]', '1'],
];
const PATTERNS = [
  ...['^a+$', '(a+)+$', '^(a|aa)+$', '(?=a)b', '[', '\\p{L}+', '(?<n>a)\\k<n>', 'a{1,1000}'],
  ...['(a{1,100}){1,100}', '\\d+', ''],
];
const FORMATS = [
  ...['date-time', 'email', 'uri', 'regex', 'ipv6', 'uuid', 'json-pointer', 'int32'],
  ...['nonsense', 'hostname'],
];
const REFS = [
  ...['#', '#/$defs/a', '#/$defs/b', '#/definitions/a', '#a', '#/properties/a'],
  ...['http://a.test/', '#/%24defs/a', '', 'a.json'],
];
const DRAFTS = [
  'https://json-schema.org/draft/2020-12/schema',
  ...['https://json-schema.org/draft/2019-09/schema', 'draft-07'],
  ...['http://json-schema.org/draft-07/schema#', 'http://json-schema.org/draft-04/schema#'],
  'http://a.test/',
];
const KEYS = ['a', 'b', 'id', 'name', '', 'constructor', 'a/b', 'é', 'toString'];

type Build = (random: Random, depth: number, rightly: boolean) => string;

const quoted = (text: string) => JSON.stringify(text);
const list = (random: Random, most: number, each: () => string) =>
  `[${random.times(random.small(most), each).join(',')}]`;
/** Some of them, each once. */
const some = <T>(random: Random, most: number, values: readonly T[]): T[] => [
  ...new Set(random.times(random.small(most), () => random.pick(values))),
];
const sub: Build = (random, depth, rightly) => schemaText(random, depth - 1, rightly);
const subs: Build = (random, depth, rightly) => list(random, 5, () => sub(random, depth, rightly));
const mapped: Build = (random, depth, rightly) =>
  `{${some(random, 5, KEYS)
    .map((key) => `${quoted(key)}:${sub(random, depth, rightly)}`)
    .join(',')}}`;
const count: Build = (random) =>
  random.pick(['0', '1', '2', '-1', '1.5', '1e9', '"1"', '9007199254740993']);
const value: Build = (random) => jsonText(random, 2, false);
const names: Build = (random) => list(random, 6, () => quoted(random.pick(KEYS)));
const one =
  (...texts: readonly string[]): Build =>
  (random) =>
    quoted(random.pick(texts));

/** What each word of JSON Schema, and of OpenAPI, takes; often enough it gets something else. */
const KEYWORDS: [keywords: string, build: Build][] = [
  ['type', (random) => random.pick(TYPES)],
  ['properties patternProperties $defs definitions dependentSchemas dependencies', mapped],
  [
    'items additionalProperties unevaluatedProperties unevaluatedItems contains propertyNames not if then else',
    sub,
  ],
  ['additionalItems contentSchema', sub],
  ['allOf anyOf oneOf prefixItems', subs],
  [
    'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains',
    count,
  ],
  [
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
    (random) => jsonText(random, 0, false),
  ],
  ['const default example', value],
  ['enum examples', (random) => list(random, 8, () => jsonText(random, 1))],
  ['required', names],
  ['dependentRequired', (random) => `{${quoted(random.pick(KEYS))}:${names(random, 0, false)}}`],
  ['pattern', one(...PATTERNS)],
  ['format', one(...FORMATS)],
  ['$ref $dynamicRef $recursiveRef', one(...REFS)],
  ['$schema', one(...DRAFTS)],
  ['$id $anchor $dynamicAnchor id', one('a', '#a', 'http://a.test/b', '', 'é', '#')],
  [
    'uniqueItems nullable deprecated readOnly $async',
    (random) => random.pick(['true', 'false', '1', 'null']),
  ],
  ['discriminator', (random) => `{"propertyName":${quoted(random.pick(KEYS))}}`],
  ['title description $comment x-note typ propertys', value],
];

/** The same where nothing is wrong, so that bodies are held against what was compiled. */
const RIGHT: [keywords: string, build: Build][] = [
  ['type', (random) => random.pick(TYPES.slice(0, 8))],
  ['properties $defs', mapped],
  ['items additionalProperties contains propertyNames not if then else', sub],
  [
    'allOf anyOf oneOf prefixItems',
    (random, depth, rightly) => `[${sub(random, depth, rightly)},${sub(random, depth, rightly)}]`,
  ],
  [
    'minLength maxLength minItems maxItems minProperties maxProperties',
    (random) => String(random.below(9)),
  ],
  ['minimum maximum exclusiveMinimum', (random) => String(random.below(900) / 10)],
  ['multipleOf', (random) => random.pick(['1', '0.01', '3', '1e-9'])],
  ['const default', value],
  [
    'enum',
    (random) =>
      `[${[...new Set(random.times(1 + random.small(8), () => String(random.below(99))))].join(',')}]`,
  ],
  ['required', (random) => JSON.stringify(some(random, 6, KEYS))],
  ['pattern', one('^a+$', '\\d+', 'a{1,100}', '(x|y)*z', '^[^a-z]')],
  ['format', one('date-time', 'email', 'uri', 'ipv6', 'uuid')],
  ['uniqueItems', (random) => random.pick(['true', 'false'])],
];

const wordsOf = (keywords: [string, Build][]) =>
  keywords.flatMap(([names, build]) =>
    names.split(' ').map((keyword) => [keyword, build] as const),
  );
const WORDS = wordsOf(KEYWORDS);
const RIGHT_WORDS = wordsOf(RIGHT);

/** The text of a schema, good or bad. */
export function schemaText(
  random: Random,
  depth = 1 + random.small(5),
  rightly = random.chance(0.5),
): string {
  if (depth <= 0 || random.chance(0.05)) {
    return random.pick(
      rightly ? ['{}', 'true', 'false', '{"type":"string"}'] : ['{}', 'false', '1', 'null', '[]'],
    );
  }
  const members = some(random, 8, rightly ? RIGHT_WORDS : WORDS).map(([keyword, build]) => {
    const wrong = !rightly && random.chance(0.05);
    return `${quoted(keyword)}:${wrong ? jsonText(random, 2, false) : build(random, depth, rightly)}`;
  });
  return `{${members.join(',')}}`;
}

/** One that is now and then large, or not quite a schema. */
export function hostileSchema(random: Random): string {
  const [text = '{}'] = random
    .times(3, () => schemaText(random))
    .filter((each) => each.startsWith('{'));
  if (random.chance(0.003)) return `{"allOf":[${`${text},`.repeat(random.small(3_000))}${text}]}`;
  if (random.chance(0.003))
    return `{"properties":{${quoted(word(random).repeat(random.small(2_000)))}:${text}}}`;
  if (random.chance(0.003))
    return '{"items":'.repeat(random.small(3_000)) + text + '}'.repeat(random.small(3_000));
  return random.chance(0.15) ? mutate(random, text) : text;
}

/** What schemas are held against. */
export const BODIES = [
  ...['{"id":7,"name":"Desk"}', '[1,2,3]', '"aaaaaaaaaaaaaaaaaaaaaaaaaaaa!"', '7', 'null'],
  ...['{"a":{"a":{"a":{"b":1}}}}', '[{"a":1},{"a":1}]', '{"__proto__":1,"constructor":2,"":3}'],
  ...['1e400', '9007199254740993', '{"a":1,"a":"x"}', '[]'],
];
