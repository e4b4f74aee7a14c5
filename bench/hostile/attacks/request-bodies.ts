import { asking } from '../assault.ts';
import { type Attack, MIB, REQUEST_LIMIT, type Scene } from '../attack.ts';
import { deep, listOf, membersOf, nested, range, repeated } from '../shapes.ts';

/** Room for the rest of the action. */
const SIZE = REQUEST_LIMIT - 1_024;

/** An action whose `body` is this text. */
const body = (name: string, build: () => Buffer | string, times = 1) =>
  asking({ name: `body: ${name}`, times, action: (scene) => around(scene, '"body":', build()) });

/** The whole request. */
const request = (name: string, build: (scene: Scene) => Buffer | string, finding?: string) =>
  asking({ name: `request: ${name}`, action: build, finding });

/** Where an action is to go. */
interface Origin {
  readonly upstream: { readonly origin: string };
}

function around({ upstream }: Origin, member: string, value: Buffer | string): Buffer {
  const head = `{"method":"POST","url":"${upstream.origin}",${member}`;
  return Buffer.concat([Buffer.from(head), Buffer.from(value), Buffer.from('}')]);
}

const DEEP = 100_000;

/** `Aa` and `BB` have the same sum of the usual kind, and so have all strings made of them. */
const ALIKE = range(32, (n) =>
  n.toString(2).padStart(5, '0').replaceAll('0', 'Aa').replaceAll('1', 'BB'),
);

/** What the body of an action may be; it is read, and passed on digit by digit. */
const bodies: Attack[] = [
  body('[[],[],…]', () => listOf('[]', SIZE)),
  body('[{},{},…]', () => listOf('{}', SIZE)),
  body('[1e20,…]', () => listOf('1e20', SIZE)),
  body('[1,1,…]', () => listOf('1', SIZE)),
  body('90,000 keys', () => membersOf((n) => `k${n}`, '1', SIZE)),
  body('keys that are array indexes', () => membersOf((n) => String(n * 7_919), '1', SIZE)),
  body('escaped keys', () => `{${range(60_000, (n) => `"\\u006b${n}":1`).join(',')}}`),
  body('names that simple sums confuse', () =>
    listOf(`{${ALIKE.map((name) => `"${name}":1`).join(',')}}`, SIZE),
  ),
  body(
    'one key twice, far apart',
    () => `{"a":1,${range(80_000, (n) => `"k${n}":1`).join(',')},"a":2}`,
  ),
  body('one key over and over', () => repeated('"a":1,', SIZE, '{', '"a":1}')),
  body('one key of 1 MB', () => repeated('k', SIZE, '{"', '":1}')),
  body('a string of escapes', () => repeated('\\u0061', SIZE, '"', '"')),
  body('a string of escaped quotes', () => repeated('\\"', SIZE, '"', '"')),
  body('a string of backslashes before a quote', () => repeated('\\\\', SIZE, '"', '"')),
  body('lone surrogates', () => repeated('\\ud800', SIZE, '"', '"')),
  body('one number of 1 MB', () => repeated('7', SIZE)),
  body('numbers of 400 digits', () => listOf('9'.repeat(400), SIZE)),
  body('an exponent of 1 MB', () => repeated('0', SIZE, '1e', '1')),
  body('[[[… 500,000 deep', () => deep('[', ']', SIZE)),
  body('{"a":{"a":… 170,000 deep', () => deep('{"a":', '}', SIZE)),
  body('100,000 deep', () => nested(DEEP, '[', ']')),
  body('257 deep', () => nested(257, '[', ']')),
  body('256 deep, over and over', () => listOf(nested(254, '[', ']'), SIZE)),
  body('1 MB of a, 40 at once', () => repeated('a', SIZE, '"', '"'), 40),
  body('[[],…], 40 at once', () => listOf('[]', SIZE), 40),
];

const AS_FORM = (scene: Origin, value: string) =>
  around(scene, '"headers":{"content-type":"application/x-www-form-urlencoded"},"body":', value);

/** Forms, in which each item of an array repeats the name. */
const formOf = (nameLength: number, item: string) =>
  `{"${'n'.repeat(nameLength)}":${listOf(item, SIZE - nameLength)}}`;
const form = (name: string, build: (scene: Scene) => Buffer | string, times = 1) =>
  asking({ name: `form: ${name}`, times, action: build });

const forms: Attack[] = [
  form('a name of 600 for 500,000 items, three at once', (at) => AS_FORM(at, formOf(600, '1')), 3),
  form('a name of 1 for 500,000 items', (at) => AS_FORM(at, formOf(1, '1'))),
  form('escaped strings', (at) => AS_FORM(at, formOf(1, '"\\n"'))),
  form('a name of 2,000 for a refused host', () =>
    AS_FORM({ upstream: { origin: 'http://evil.example' } }, formOf(2_000, '1')),
  ),
];

/** Requests that are no actions, or whose other members are hostile. */
const requests: Attack[] = [
  request(
    '`response_schema` 100,000 deep',
    (scene) => around(scene, '"response_schema":', nested(DEEP, '{"not":', '}', '{}')),
    '9',
  ),
  request(
    '`response_schema` 100,000 deep in lists',
    (scene) => around(scene, '"response_schema":', `{"allOf":${nested(DEEP, '[', ']')}}`),
    '9',
  ),
  request(
    '`response_schema` 100,000 deep in members that are indexes',
    (scene) => around(scene, '"response_schema":', nested(DEEP, '{"0":', '}', '{}')),
    '9',
  ),
  request('`headers` 100,000 deep', (scene) =>
    around(scene, '"headers":', nested(DEEP, '{"a":', '}')),
  ),
  request('only opening brackets', () => Buffer.alloc(SIZE, '[')),
  request('only opening braces with keys', () => repeated('{"a":', SIZE)),
  request('only quotes', () => Buffer.alloc(SIZE, '"')),
  request('only backslashes in a string', () => repeated('\\', SIZE, '"')),
  request('blanks', () => Buffer.alloc(SIZE, ' ')),
  request('blanks before colons', (scene) =>
    around(scene, '"body":', `{${range(9_000, (n) => `"${n}"${' '.repeat(100)}:1`).join(',')}}`),
  ),
  request('bytes that are not UTF-8', () => Buffer.alloc(SIZE, 0xff)),
  request('100,000 unknown members', (scene) =>
    around(scene, '"body":1,', `"x":1,${range(90_000, (n) => `"u${n}":1`).join(',')}`),
  ),
  request('an unknown member with a name of 1 MB', (scene) =>
    around(scene, `"${'n'.repeat(SIZE)}":`, '1'),
  ),
  request(
    'a repeated member with a name of 500 KB',
    () => `{"${'n'.repeat(SIZE / 2)}":1,"${'n'.repeat(SIZE / 2 - 32)}":1}`,
  ),
  request(
    '`url` of 1 MB',
    (scene) => `{"method":"GET","url":"${scene.upstream.origin}/${'p'.repeat(SIZE)}"}`,
  ),
  request(
    '`url` with a query of percent escapes',
    (scene) => `{"method":"GET","url":"${scene.upstream.origin}/?${'%25'.repeat(SIZE / 3 - 64)}"}`,
  ),
  request(
    '`url` with 300,000 dot segments',
    (scene) => `{"method":"GET","url":"${scene.upstream.origin}/${'../'.repeat(SIZE / 3 - 64)}"}`,
  ),
  request(
    'a host of 1 MB',
    () => `{"method":"GET","url":"http://${'a.'.repeat(SIZE / 2 - 64)}test/"}`,
  ),
  request(
    'a host of 1 MB that is not ASCII',
    () => `{"method":"GET","url":"http://${'ü'.repeat(SIZE / 2 - 64)}.test/"}`,
  ),
  request(
    '`method` of 1 MB',
    (scene) => `{"method":"${'g'.repeat(SIZE)}","url":"${scene.upstream.origin}"}`,
  ),
  request('90,000 headers that are no strings', (scene) =>
    around(
      scene,
      '"headers":',
      membersOf((n) => `h${n}`, '1', SIZE),
    ),
  ),
  request('a form of 90,000 members', (scene) =>
    AS_FORM(scene, membersOf((n) => `k${n}`, '1', SIZE).toString()),
  ),
  request('a form of one list', (scene) => AS_FORM(scene, `{"a":${listOf('"&="', SIZE)}}`)),
  request('a form that is a string of 1 MB', (scene) =>
    AS_FORM(scene, repeated('é&=', SIZE, '"', '"').toString()),
  ),
  request('16 MiB, above the limit', () => Buffer.alloc(16 * MIB, '[')),
];

export const requestBodies: Attack[] = [...bodies, ...forms, ...requests];
