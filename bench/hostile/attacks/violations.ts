import { gzipSync } from 'node:zlib';
import { answering } from '../assault.ts';
import { type Attack, AUTHORIZATION, asVariants, KIB, MIB, SIZE } from '../attack.ts';
import { deep, listOf, membersOf, nested, noise, range, repeated } from '../shapes.ts';

interface Pair {
  readonly finding?: string;
  readonly encode?: (body: Buffer) => Buffer;
  readonly headers?: Record<string, string>;
  readonly credential?: boolean;
}

/** An answer that a schema has much to say about, or much to do with. */
function against(
  name: string,
  response_schema: object,
  body: () => Buffer,
  pair: Pair = {},
): Attack {
  const { credential = false, ...rest } = pair;
  const action = { response_schema, ...(credential ? { headers: AUTHORIZATION } : {}) };
  return answering({ name: `violations: ${name}`, body, action, ...rest });
}

const eachIsString = { additionalProperties: { additionalProperties: { type: 'string' } } };
const gzip = { encode: (body: Buffer) => gzipSync(body), headers: { 'content-encoding': 'gzip' } };

const twenty = () => `{${range(20, (n) => `"m${n}":1`).join(',')}}`;
const below = (key: string) => () => Buffer.from(`{"${key}":${twenty()}}`);
const tree = {
  $ref: '#/$defs/node',
  $defs: { node: { properties: { a: { $ref: '#/$defs/node' } }, required: ['id'] } },
};

const FORMATS = [
  ...['email', 'uri', 'date-time', 'ipv6', 'regex', 'hostname', 'uri-template', 'iri'],
  'json-pointer',
];

const principal: Attack[] = [
  against('20 members below a key of 6 MB, in gzip', eachIsString, below('k'.repeat(6 * MIB)), {
    finding: '3',
    ...gzip,
  }),
  against('the same, credential', eachIsString, below('k'.repeat(6 * MIB)), {
    finding: '3',
    credential: true,
    ...gzip,
  }),
  against('20 keys of 500 KB', { additionalProperties: { type: 'string' } }, () =>
    membersOf((n) => `${'k'.repeat(500 * KIB)}${n}`, '1', SIZE),
  ),
  against('a key of 9 MB of escapes', eachIsString, below('\\u0001'.repeat(1.5 * MIB)), {
    credential: true,
  }),
  against('paths of control characters', eachIsString, below('\\u0001'.repeat(295))),
  against('paths of quotes', eachIsString, below('\\"'.repeat(295))),
  against('1,000,000 wrong items', { items: { type: 'string' } }, () => listOf('1', SIZE)),
  against('750,000 members too many', { additionalProperties: false }, () =>
    membersOf((n) => `k${n}`, '1', SIZE),
  ),
  against(
    'a name of 9 MB',
    { propertyNames: { pattern: '^[a-z]{1,20}$' } },
    below('K'.repeat(9 * MIB)),
  ),
  against('250 levels of long keys', tree, () =>
    Buffer.from(nested(250, `{"${'a'.repeat(20_000)}":`, '}')),
  ),
  against('250 levels, each without `id`', tree, () =>
    Buffer.from(nested(250, '{"a":', '}', '{}')),
  ),
  against('1,000,000 levels', tree, () => deep('{"a":', '}', SIZE)),
  against('unique items, 10 MiB of objects', { uniqueItems: true }, () => membersList()),
  against('unique items, 10 MiB of ones', { uniqueItems: true }, () => listOf('1', SIZE)),
  against('anyOf of 100 for each', { items: { anyOf: range(100, (n) => ({ const: n })) } }, () =>
    listOf('99', SIZE),
  ),
  against('contains what is not there', { contains: { const: { a: 1 } }, minContains: 1 }, () =>
    listOf('{"a":2}', SIZE),
  ),
  against(
    'an enum of 1,000 for each of a million',
    { items: { enum: range(1_000, (n) => `word ${n}`) } },
    () => listOf('"word 999"', SIZE),
  ),
  against(
    '20 patterns for 750,000 keys',
    { patternProperties: Object.fromEntries(range(20, (n) => [`a{${n},40}b`, {}])) },
    () => membersOf((n) => `aaaaaa${n}`, '1', SIZE),
  ),
  against('a pattern on 10 MiB', { pattern: '(x+x+)+y' }, () => repeated('x', SIZE, '"', '"')),
  against('a pattern with a count on 10 MiB', { pattern: '(a|b|ab){10,900}c' }, () =>
    repeated('ab', SIZE, '"', '"'),
  ),
  against('formats on 10 MiB', { allOf: FORMATS.map((format) => ({ format })) }, () =>
    repeated('a.', SIZE, '"', '"'),
  ),
  against('lengths of 10 MiB of emoji', { minLength: 1, maxLength: 9 }, () =>
    repeated('😀', SIZE, '"', '"'),
  ),
  against('multipleOf of long numbers', { items: { multipleOf: 0.01 } }, () =>
    listOf('0.1234567890123456789', SIZE),
  ),
  against('a number of 1 MB of digits', { type: 'integer', multipleOf: 3 }, () =>
    repeated('7', MIB),
  ),
  against('1e400', { type: 'number' }, () => Buffer.from('[1e400]')),
  against(
    'noise as a string, ordinary schema, credential',
    { type: 'string', maxLength: 10 },
    () => Buffer.from(`"${noise(SIZE / 10)}"`),
    { credential: true },
  ),
];

const variants: Attack[] = [
  against('a key of 6 MB of `/` and `~`', eachIsString, below('/~'.repeat(3 * MIB))),
  against('a key of 6 MB of emoji', eachIsString, below('😀'.repeat(1.5 * MIB))),
  against(
    'a key of the secret over and over',
    eachIsString,
    below('tok_7f3a9c2e5b8d1046af93'.repeat(250_000)),
    { credential: true },
  ),
  against(
    '1,000,000 wrong items, three faults each',
    { items: { allOf: [{ type: 'string' }, { minimum: 2 }, { enum: [2] }] } },
    () => listOf('1', SIZE),
  ),
  against('names of 750,000 members', { propertyNames: { maxLength: 2 } }, () =>
    membersOf((n) => `k${n}`, '1', SIZE),
  ),
  against('unique items, 20 lists of 500 KB', { uniqueItems: true }, () =>
    listOf(`[${'1,'.repeat(250_000)}1]`, SIZE),
  ),
  against('an e-mail of 10 MiB', { format: 'email' }, () => repeated('a.', SIZE, '"', '@a.test"')),
  against('a URI of 10 MiB', { format: 'uri' }, () =>
    repeated('%41', SIZE, '"http://a.test/', '"'),
  ),
  against('multipleOf of a million numbers', { items: { multipleOf: 1e-300 } }, () =>
    listOf('1.1e10', SIZE),
  ),
  against('deep equality', { items: { const: deepValue() } }, () =>
    listOf(JSON.stringify(deepValue()), SIZE),
  ),
  against(
    'unevaluated',
    { type: 'object', properties: { a: {} }, unevaluatedProperties: false },
    () => membersOf((n) => `k${n}`, '1', SIZE),
  ),
];

export const violations: Attack[] = [...principal, ...asVariants(variants)];

function membersList(): Buffer {
  return Buffer.from(`[${range(700_000, (n) => `{"n":${n % 10}}`).join(',')}]`);
}

function deepValue(): unknown {
  return JSON.parse(nested(30, '{"a":[', ']}'));
}
