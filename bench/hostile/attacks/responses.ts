import { answering } from '../assault.ts';
import { type Attack, AUTHORIZATION, SIZE } from '../attack.ts';
import { deep, listOf, membersOf, nested, repeated } from '../shapes.ts';

const text = (unit: string) => () => repeated(unit, SIZE, '"', '"');
const list = (item: string) => () => listOf(item, SIZE);

/** Documents of 10 MiB, valid JSON or nearly. */
const SHAPES: [name: string, body: () => Buffer][] = [
  ['[[],[],…]', list('[]')],
  ['[{},{},…]', list('{}')],
  ['[1e20,1e20,…]', list('1e20')],
  ['[1,1,…]', list('1')],
  ['["","",…]', list('""')],
  ['[-0.0e-0,…]', list('-0.0e-0')],
  ['numbers of 400 digits', list('9'.repeat(400))],
  ['numbers of a double and a half', list('0.1234567890123456789012345')],
  ['one number of 10 MiB', () => repeated('7', SIZE)],
  ['an exponent of 10 MiB', () => repeated('0', SIZE, '1e', '1')],
  ['750,000 keys', () => membersOf((n) => `k${n}`, '1', SIZE)],
  ['keys that are array indexes', () => membersOf((n) => String(n * 7_919), '1', SIZE)],
  ['one key over and over', () => repeated('"a":1,', SIZE, '{', '"a":1}')],
  ['one key of 10 MiB', () => repeated('k', SIZE, '{"', '":1}')],
  [
    'keys of 1,000 characters with one beginning',
    () => membersOf((n) => `${'k'.repeat(1_000)}${n}`, '1', SIZE),
  ],
  ['`__proto__` keys', list('{"__proto__":{"constructor":{"prototype":1}}}')],
  ['[[[… 5 million deep', () => deep('[', ']', SIZE)],
  ['{"a":{"a":… 1.7 million deep', () => deep('{"a":', '}', SIZE)],
  ['256 deep, over and over', list(nested(254, '[', ']'))],
  ['one string', text('a')],
  ['a string of \\u0061', text('\\u0061')],
  ['a string of escaped quotes', text('\\"')],
  ['a string of escaped backslashes', text('\\\\')],
  ['a string of escaped surrogate pairs', text('\\ud83d\\ude00')],
  ['a string of lone surrogates', text('\\ud800')],
  ['a string of emoji', text('😀')],
  ['a string of percent escapes', text('%2561')],
  ['a string of HTML entities', text('&#x61;')],
  ['short strings with one escape each', list('"\\n"')],
  ['blanks before a number', () => repeated(' ', SIZE, '', '1')],
  ['blanks between members', list('\t\r\n    1')],
  ['a fault in the last byte', () => repeated('1,', SIZE, '[', '1!')],
  ['a string that does not end', () => repeated('a', SIZE, '"')],
  ['bytes that are not UTF-8', () => Buffer.alloc(SIZE, 0xff)],
  [
    'the last byte is not UTF-8',
    () => Buffer.concat([repeated('a', SIZE, '"'), Buffer.from([0xff, 0x22])]),
  ],
  ['NUL bytes', () => Buffer.alloc(SIZE)],
];

/** What the four shapes of the review are called there. */
const REVIEWED = new Set([
  '750,000 keys',
  '[1e20,1e20,…]',
  '[[],[],…]',
  '{"a":{"a":… 1.7 million deep',
]);

const SCHEMA = {
  type: ['array', 'object', 'string', 'number'],
  required: ['id'],
  properties: { id: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
  items: { type: ['object', 'array', 'string', 'number'], maxLength: 100, maximum: 1e21 },
};

/** What an action brings along, each of which reads the body once more. */
interface Dress {
  readonly suffix: string;
  readonly action: Readonly<Record<string, unknown>>;
  readonly variant: boolean;
}

const PLAIN: Dress = { suffix: '', action: {}, variant: true };
const CREDENTIAL: Dress = {
  suffix: ', credential',
  action: { headers: AUTHORIZATION },
  variant: true,
};
const CHECKED: Dress = { suffix: ', schema', action: { response_schema: SCHEMA }, variant: true };
const BOTH: Dress = {
  suffix: ', credential and schema',
  action: { headers: AUTHORIZATION, response_schema: SCHEMA },
  variant: false,
};

export const responses: Attack[] = SHAPES.flatMap(([shape, body]) =>
  [PLAIN, CREDENTIAL, CHECKED, BOTH].map(({ suffix, ...dress }) =>
    answering({
      name: `answer: ${shape}${suffix}`,
      body,
      ...dress,
      finding: REVIEWED.has(shape) ? '4' : undefined,
    }),
  ),
);

/** Error pages, which are texts and no JSON. */
const PAGES: [name: string, body: () => Buffer][] = [
  ['JSON escapes', () => repeated('\\u0061\\n\\"', SIZE, '<p>')],
  ['percent escapes', () => repeated('%61%2561', SIZE, '<p>')],
  ['HTML entities', () => repeated('&amp;#97;&lt;&#x61;', SIZE, '<p>')],
  ['HTML', () => repeated('<p class="a">not found</p>', SIZE, '<!doctype html>')],
  ['one word', () => repeated('a', SIZE)],
  ['base64', () => repeated('QWxhZGRpbjpvcGVuIHNlc2FtZQ', SIZE)],
  ['valid JSON, [[],…]', () => listOf('[]', SIZE)],
  ['backslashes', () => repeated('\\', SIZE)],
  ['percent signs', () => repeated('%', SIZE)],
  ['ampersands', () => repeated('&', SIZE)],
];

export const errorPages: Attack[] = PAGES.flatMap(([page, body]) => [
  answering({ name: `error page: ${page}`, finding: '4', body, status: 404, variant: true }),
  answering({
    name: `error page: ${page}, credential`,
    finding: '4',
    body,
    status: 404,
    action: CREDENTIAL.action,
  }),
]);

const PARALLEL = ['750,000 keys', '[[],[],…]', 'a string of \\u0061', 'one string'];

/** Twelve at once, which share one processor. */
export const parallel: Attack[] = SHAPES.filter(([shape]) => PARALLEL.includes(shape)).flatMap(
  ([shape, body]) =>
    [PLAIN, BOTH].map(({ suffix, action }) => {
      const variant = shape !== '[[],[],…]' || suffix === '';
      return answering({
        name: `12 at once: ${shape}${suffix}`,
        finding: '4',
        body,
        action,
        times: 12,
        variant,
      });
    }),
);
