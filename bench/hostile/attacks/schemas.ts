import { asking } from '../assault.ts';
import { type Attack, AUTHORIZATION, asVariants, KIB } from '../attack.ts';
import { nested, noise, range } from '../shapes.ts';

type Schema = Readonly<Record<string, unknown>> | string;

/** An action with this schema, as a value or as text. */
function schema(
  name: string,
  build: (n: number) => Schema,
  more: { finding?: string; headers?: object; times?: number; distinct?: boolean } = {},
): Attack {
  const { headers = {}, ...rest } = more;
  return asking({
    name: `schema: ${name}`,
    action: ({ upstream }, n) => {
      const built = build(n);
      if (typeof built !== 'string') return { headers, response_schema: built };
      return `{"method":"POST","url":"${upstream.origin}","response_schema":${built}}`;
    },
    ...rest,
  });
}

const numbered = (count: number, name: (n: number) => string, value: (n: number) => unknown) =>
  Object.fromEntries(range(count, (n) => [name(n), value(n)]));
const key = (n: number) => `k${n}`;

/** 1,000 faults, each of which names the place with a long key: 12 KB in, 81 MB out. */
const longPaths = (length: number, members: number) => ({
  properties: { ['k'.repeat(length)]: { properties: numbered(members, String, () => 1) } },
});

const doubling = (levels: number) => ({
  $ref: '#/$defs/d0',
  $defs: {
    ...numbered(
      levels,
      (n) => `d${n}`,
      (n) => ({ anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] }),
    ),
    [`d${levels}`]: { type: 'string' },
  },
});

/** Schemas that explode as they are compiled, or in what is said of them. */
const alone: Attack[] = [
  schema('1,000 faults below a key of 5,000 characters', () => longPaths(5_000, 1_000), {
    finding: '2',
  }),
  schema('3,000 faults below a key of 11,000 characters', () => longPaths(11_000, 3_000), {
    finding: '2',
  }),
  schema('the same, credential', () => longPaths(11_000, 3_000), {
    finding: '2',
    headers: AUTHORIZATION,
  }),
  schema('1,000 faults, key of `/` and `~`', () => ({
    properties: { ['/~'.repeat(3_000)]: longPaths(3_000, 1_000) },
  })),
  schema('doubling references, 60 levels', () => doubling(60)),
  schema('references in a circle', () => ({
    $ref: '#/$defs/a',
    $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
  })),
  schema('a chain of 1,500 references', () => ({
    $ref: '#/$defs/k0',
    $defs: { ...numbered(1_500, key, (n) => ({ $ref: `#/$defs/k${n + 1}` })), k1500: {} },
  })),
  schema('1,500 references to one', () => ({
    allOf: range(1_500, () => ({ $ref: '#/$defs/a' })),
    $defs: { a: doubling(10) },
  })),
  schema('an enum of 10,000', () => ({ enum: range(10_000, key) })),
  schema('an enum of long words', () => ({ enum: range(60, () => noise(1_000)) })),
  schema('a const of 60 KB', () => ({ const: noise(60 * KIB) })),
  schema('a const with 4,000 members', () => ({ const: numbered(4_000, key, Number) })),
  schema(
    'an enum of deep values',
    () => `{"enum":[${range(9, () => nested(60, '[', ']')).join(',')}]}`,
  ),
  schema('20,000 properties', () => ({ properties: numbered(20_000, key, () => ({})) })),
  schema('2,000 properties with ten words each', () => ({
    properties: numbered(450, key, () => ({
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 9,
      pattern: '^a',
      format: 'email',
    })),
  })),
  schema('4,000 required', () => ({
    type: 'object',
    required: range(4_000, (n) => `member ${n}`),
  })),
  schema('required of 60 KB', () => ({ type: 'object', required: [noise(60 * KIB)] })),
  schema('dependentRequired', () => ({ dependentRequired: { id: range(60, key) } })),
  schema('4,000 patterns', () => ({
    patternProperties: numbered(
      2_000,
      (n) => `^a{${n % 900}}`,
      () => ({}),
    ),
  })),
  schema('a pattern of 60 KB', () => ({ pattern: 'a?'.repeat(30_000) })),
  schema('a pattern of 60 KB of groups', () => ({ pattern: nested(15_000, '(a', ')*') })),
  schema('counts in counts', () => ({ pattern: '^((a{1,1000}){1,1000}){1,1000}$' })),
  schema('100 patterns with counts', () => ({
    allOf: range(100, (n) => ({ pattern: `^(a{${n},900}b){1,${900 - n}}$` })),
  })),
  schema('a character class of 20,000', () => ({ pattern: `[${noise(20_000)}]{1,99}` })),
  schema('look-ahead', () => ({ pattern: '^(?=(a+)+$)a' })),
  schema('unicode properties', () => ({
    allOf: range(200, () => ({ pattern: '\\p{L}{1,200}\\P{N}' })),
  })),
  schema('a $schema of 60 KB', () => ({ $schema: `https://${noise(60 * KIB)}.test/` })),
  schema('an $id of 60 KB', () => ({ $id: `https://a.test/${noise(60 * KIB)}` })),
  schema('a $ref of 60 KB', () => ({ $ref: `#/${noise(60 * KIB)}` })),
  schema('a $ref of 20,000 steps', () => ({ $ref: `#/${'a/'.repeat(20_000)}` })),
  schema('4,000 words that are misspelt', () =>
    numbered(
      4_000,
      (n) => `propertie${n}`,
      () => 1,
    ),
  ),
  schema('a keyword of 60 KB', () => ({ [noise(60 * KIB)]: 1 })),
  schema('4,000 words that are wrong', () => ({
    allOf: range(1_500, () => ({ type: 'strin', minLength: -1 })),
  })),
  schema('a type list of 4,000', () => ({ type: range(4_000, key) })),
  schema('a discriminator of 2,000', () => ({
    discriminator: { propertyName: 'id', mapping: numbered(2_000, key, () => '#/$defs/a') },
    oneOf: [{ $ref: '#/$defs/a' }],
    $defs: { a: { properties: { id: { const: 'k1' } } } },
  })),
  schema('64 levels of if, then, else', () =>
    nested(60, '{"if":{"type":"object"},"then":', ',"else":false}', '{}'),
  ),
  schema('64 levels of not', () => nested(62, '{"not":', '}', '{}')),
  schema('60 levels of two branches', () => nested(60, '{"anyOf":[{"type":"string"},', ']}', '{}')),
  schema('oneOf of 4,000', () => ({ oneOf: range(2_000, (n) => ({ const: n })) })),
  schema('unevaluatedProperties beside 500 branches', () => ({
    unevaluatedProperties: false,
    anyOf: range(500, (n) => ({ properties: { [key(n)]: {} } })),
  })),
  schema('a title of 64 KB', () => ({ title: noise(63 * KIB), description: '' })),
  schema('900 KB', () => ({ description: noise(900 * KIB) })),
];

const floods: Attack[] = [
  schema('200 at once, all different', (n) => longPaths(2_000 + n, 100), {
    times: 200,
    distinct: true,
  }),
  schema(
    '200 at once, good and different',
    (n) => ({
      properties: numbered(
        400,
        (m) => `k${n}-${m}`,
        () => ({ type: 'string' }),
      ),
    }),
    { times: 200, distinct: true },
  ),
  schema('200 at once, doubling', () => doubling(24), { times: 200 }),
];

export const schemas: Attack[] = [...alone, ...asVariants(floods)];
