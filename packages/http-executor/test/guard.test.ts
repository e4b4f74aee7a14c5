import { JsonText } from '@gatehouse/json-text';
import { describe, expect, it } from 'vitest';
import { guard } from '../src/guard/guard.ts';
import { readBody } from '../src/guard/request-body.ts';
import { readHeaders } from '../src/guard/request-headers.ts';
import { type Action, inspectAction as inspect, Refusal } from '../src/index.ts';
import { sandbox } from './support/stages.ts';

const MIB = 1024 * 1024;
const guardAction = (action: Action, by = sandbox) => guard(action, by, MIB);
const inspectAction = (value: unknown) => inspect(value, MIB);

const headersOf = (count: number, value = 'v') =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${100 + n}`, value]));

/** `{ [name]: message }` of what `readHeaders` finds. */
const faults = (headers: Record<string, string>) =>
  readHeaders(headers).violations.map(({ pointer, message }) => [pointer, message]);

describe('readHeaders', () => {
  it('reads names in lower case, and values without outer blanks', () => {
    const { headers, violations, beyondLimits } = readHeaders({ 'X-A': ' \t1 ', 'x-b': '' });
    expect([...headers]).toEqual([
      ['x-a', '1'],
      ['x-b', ''],
    ]);
    expect({ violations, beyondLimits }).toEqual({ violations: [], beyondLimits: false });
  });

  const MANY = [['/headers', 'must be at most 100']];
  const ALL = [['/headers', 'must be at most 32768 bytes in all']];
  it.each<[name: string, headers: Record<string, string>, found: string[][]]>([
    ['100 headers', headersOf(100), []],
    ['101 headers', headersOf(101), MANY],
    ['a value of 8,192 bytes', { a: 'v'.repeat(8_192) }, []],
    [
      'a value of 8,193 bytes',
      { a: 'v'.repeat(8_193) },
      [['/headers/a', 'must have a value of at most 8192 bytes']],
    ],
    [
      '32,768 bytes with their names',
      { ...headersOf(4, 'v'.repeat(8_186)), abc: 'v'.repeat(1) },
      [],
    ],
    [
      '32,769 bytes with their names',
      { ...headersOf(4, 'v'.repeat(8_186)), abc: 'v'.repeat(2) },
      ALL,
    ],
  ])('%s', (_name, headers, found) => {
    const total = Object.entries(headers).reduce((n, [k, v]) => n + k.length + v.length, 0);
    if (_name.startsWith('32')) expect(total).toBe(Number(_name.slice(0, 6).replace(',', '')));
    const read = readHeaders(headers);
    expect(read.violations.map(({ pointer, message }) => [pointer, message])).toEqual(found);
    expect(read.beyondLimits).toBe(found.length > 0);
    expect(read.headers.size).toBe(found.length > 0 ? 0 : Object.keys(headers).length);
  });

  const NAME = "must have a header name of letters, digits and !#$%&'*+-.^_`|~";
  it.each(['', 'a b', 'a:', ':authority', 'ä', 'a\n', '\na', 'a\0', '(a)', 'a/b', 'a@b', '"a"'])(
    'rejects the name %j',
    (name) => {
      expect(faults({ [name]: '1' })).toEqual([[`/headers/${name.replace('/', '~1')}`, NAME]]);
    },
  );

  it.each(["!#$%&'*+-.^_`|~", '0', 'Z', 'x_y'])('takes the name %j', (name) => {
    expect(faults({ [name]: '1' })).toEqual([]);
  });

  const VALUE = 'must have a value of visible ASCII, spaces and tabs';
  it.each(['a\nb', 'a\r\nb', '\0', '\x1f', '\x7f', 'é', 'Ā', '\n', '\x08'])(
    'rejects the value %j',
    (value) => {
      expect(faults({ a: value })).toEqual([['/headers/a', VALUE]]);
    },
  );

  it.each(['', ' ', '\t', '~', 'a\tb', '!'])('takes the value %j', (value) => {
    expect(faults({ a: value })).toEqual([]);
  });

  const GROUPS: [reason: string, names: string][] = [
    [
      "describes the connection, which is the executor's",
      'connection keep-alive upgrade http2-settings te trailer expect',
    ],
    [
      'frames the message, which the executor does',
      'content-length transfer-encoding content-encoding',
    ],
    ['names another host than the URL', 'host'],
    ['is for proxies', 'proxy proxy-authorization proxy-connection via max-forwards'],
    [
      'claims another origin of the request',
      'forwarded x-forwarded x-forwarded-for x-forwarded-host x-real-ip x-original-url x-rewrite-url',
    ],
    [
      'opens cloud metadata services',
      'metadata metadata-flavor x-aws-ec2-metadata-token x-google-metadata-request',
    ],
    [
      'changes the method behind the guard',
      'x-http-method x-http-method-override x-method-override',
    ],
  ];
  it.each(GROUPS)('refuses what %s', (reason, names) => {
    for (const name of names.split(' ')) {
      for (const written of [name, name.toUpperCase(), name.replaceAll('-', '_')]) {
        const expected = [`/headers/${written}`, `may not be set: it ${reason}; leave it out`];
        expect(faults({ [written]: '1' })).toEqual([expected]);
      }
    }
  });

  it('takes names that only look like refused ones', () => {
    for (const name of ['hosts', 'x-host', 'viaduct', 'proxies', 'x-proxy-a', 'tee', 'x-forward'])
      expect(faults({ [name]: '1' }), name).toEqual([]);
  });

  it('rejects a name given twice, in different case', () => {
    expect(faults({ 'X-A': '1', 'x-a': '1', 'X-a': '2' })).toEqual([
      ['/headers/x-a', 'is given twice, in different case'],
      ['/headers/X-a', 'is given twice, in different case'],
    ]);
  });

  it('shortens the pointer to a long name', () => {
    const [[pointer = ''] = []] = faults({ [`${'n'.repeat(400)}(`]: '1' });
    expect(pointer).toBe(`/headers/${'n'.repeat(290)}…`);
    expect(faults({ [`${'n'.repeat(290)}(`]: '1' })[0]?.[0]).toBe(`/headers/${'n'.repeat(290)}(`);
    expect(faults({ [`${'/'.repeat(140)}n`]: '1' })[0]?.[0]).toBe(`/headers/${'~1'.repeat(140)}n`);
  });
});

const HALF =
  'must not hold half a surrogate pair unless it is sent as JSON: UTF-8 has no such character';
const DEEP = 'must nest at most 256 levels deep';
const SCALARS =
  'must be an object of strings, numbers, booleans and arrays of those, or a string, under a form content type';
const charset = (name: string) =>
  `is sent in UTF-8, which the charset \`${name}\` reads otherwise; name \`utf-8\` in the content type, or none`;
const FORM = 'application/x-www-form-urlencoded';
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('readBody', () => {
  const sent: [name: string, body: unknown, type: string | undefined, text: string | undefined][] =
    [
      ['nothing', undefined, undefined, undefined],
      ['null', null, 'text/plain', undefined],
      ['a value without a type', { a: 1 }, undefined, '{"a":1}'],
      ['a string as JSON', 'a', undefined, '"a"'],
      ['JSON', [1], 'application/json', '[1]'],
      ['JSON with parameters', [1], 'Application/JSON ; charset=utf-8', '[1]'],
      ['a type of JSON', [1], 'application/problem+json', '[1]'],
      ['digits as they are written', new JsonText('{"a":1.00}'), 'application/json', '{"a":1.00}'],
      ['half a pair as JSON', '\ud800', 'application/json', '"\\ud800"'],
      ['text', 'a "b"\n', 'text/plain', 'a "b"\n'],
      ['text with a pair', new JsonText('"\\ud83d\\ude00"'), 'text/plain', '😀'],
      ['text with an escaped backslash', new JsonText('"\\\\ud800"'), 'text/plain', '\\ud800'],
      ['a string for a form', 'a=1&b', FORM, 'a=1&b'],
      [
        'a form',
        { a: 'x y', 'b&': 1.5, c: true, e: ['1', 2, false] },
        FORM,
        'a=x+y&b%26=1.5&c=true&e=1&e=2&e=false',
      ],
      ['digits in a form', new JsonText('{"a":1.00}'), FORM, 'a=1.00'],
      ['a form with parameters', { a: '1' }, `${FORM}; charset=utf-8`, 'a=1'],
      ['an empty form', {}, FORM, ''],
      ['escapes in a form', new JsonText('{"\\u0061":"\\u00e4"}'), FORM, 'a=%C3%A4'],
      ['256 levels', new JsonText(nested(256)), undefined, nested(256)],
      ['JSON under a blank type', [1], '', '[1]'],
      ['nothing at all as text', '', 'text/plain', ''],
      ['nothing at all as JSON', '', undefined, '""'],
      ['parts that are written out', '--b\r\n', 'multipart/form-data; boundary=b', '--b\r\n'],
      ['text in UTF-8', 'é', 'text/plain; charset="UTF8"', 'é'],
      ['ASCII in a charset that agrees on it', 'e', 'text/plain; charset=ISO-8859-1', 'e'],
      ['UTF-8 that a charset takes for itself', 'é', 'text/plain; x=y ; Charset = utf-8', 'é'],
    ];
  it.each(sent)('sends %s', (_name, body, type, text) => {
    expect(readBody(body, type, MIB)).toStrictEqual({ text });
  });

  const refused: [name: string, body: unknown, type: string | undefined, message: string][] = [
    ['257 levels', new JsonText(nested(257)), undefined, DEEP],
    ['levels beyond the stack', deepValue(100_000), undefined, DEEP],
    [
      'an object as text',
      {},
      'text/plain',
      'must be a string under the content type `text/plain`; for JSON, set a JSON content type or none',
    ],
    [
      'a number as XML',
      1,
      'application/xml',
      'must be a string under the content type `application/xml`; for JSON, set a JSON content type or none',
    ],
    [
      'JSON under a type that only ends alike',
      {},
      'application/xjson',
      'must be a string under the content type `application/xjson`; for JSON, set a JSON content type or none',
    ],
    [
      'an object as parts',
      { a: 1 },
      'multipart/form-data; boundary=b',
      'must be a string under the content type `multipart/form-data`, its parts written out; for fields without files, use `application/x-www-form-urlencoded`',
    ],
    [
      'text that latin1 reads otherwise',
      'é',
      'text/plain; charset=iso-8859-1',
      charset('iso-8859-1'),
    ],
    ['text that UTF-16 reads otherwise', 'e', 'text/csv;charset=utf-16', charset('utf-16')],
    ['text in a charset that is none', 'e', 'text/csv; charset=utf-7', charset('utf-7')],
    [
      'JSON that latin1 reads otherwise',
      ['é'],
      'application/json; charset="latin1"',
      charset('latin1'),
    ],
    ['half a pair as text', new JsonText('"\\ud800"'), 'text/plain', HALF],
    ['the other half', new JsonText('"\\uDFFF"'), 'text/plain', HALF],
    ['halves in the wrong order', new JsonText('"\\udc00\\ud800"'), 'text/plain', HALF],
    ['half a pair in a form', new JsonText('{"a":"\\ud83d"}'), FORM, HALF],
    ['half a pair in a name of a form', new JsonText('{"\\ud83d":"a"}'), FORM, HALF],
    ['an object in a form', { a: {} }, FORM, SCALARS],
    ['null in a form', { a: null }, FORM, SCALARS],
    ['an array in an array of a form', { a: [[]] }, FORM, SCALARS],
    ['an array as a form', [1], FORM, 'must be an object or a string for a form'],
    ['a number as a form', 1, FORM, 'must be an object or a string for a form'],
    ['true as a form', true, FORM, 'must be an object or a string for a form'],
  ];
  it.each(refused)('refuses %s', (_name, body, type, message) => {
    expect(readBody(body, type, MIB)).toEqual({ violation: { pointer: '/body', message } });
  });
});

it('readBody builds a form of up to twice the largest request', () => {
  // Each item repeats the name, so that the form is larger than the request.
  const body = { nn: [1, 2.5, 'ä', true] };
  const form = 'nn=1&nn=2.5&nn=%C3%A4&nn=true';
  expect(readBody(body, FORM, form.length / 2 + 0.5)).toEqual({ text: form });
  expect(readBody(body, FORM, form.length / 2)).toEqual({ text: form });
  expect(readBody(body, FORM, form.length / 2 - 0.5)).toMatchObject({
    violation: {
      message: expect.stringMatching(/^becomes a form of more than 28 bytes; send fewer/),
    },
  });
});

it('a refused host is refused before its body is read', () => {
  const body = {
    get any(): never {
      throw new Error('the body was read');
    },
  };
  const headers = { 'content-type': FORM };
  const action = { method: 'POST', url: 'https://evil.test/', headers, body } as unknown as Action;
  expect(refusalOf(action).code).toBe('HostNotAllowed');
});

it('readBody does not hide what is no JSON value', () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  expect(() => readBody(cyclic, undefined, MIB)).toThrow(TypeError);
});

function deepValue(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

function refusalOf(action: unknown): Refusal {
  try {
    guardAction(action as Action, sandbox);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('not refused');
}

describe('guardAction', () => {
  it('makes a request, with default headers', () => {
    const request = guardAction({ method: 'get', url: 'http://a.test/p#f' } as Action, sandbox);
    expect(request).toEqual({
      method: 'GET',
      url: new URL('http://a.test/p'),
      headers: new Map([
        ['accept', 'application/json'],
        ['user-agent', 'gatehouse-executor'],
        ['accept-encoding', 'gzip, deflate, br, zstd'],
      ]),
      responseType: 'json',
      body: undefined,
    });
  });

  it('keeps the headers of the action, but for the codings', () => {
    const headers = {
      Accept: 'text/html',
      'User-Agent': 'me',
      'Accept-Encoding': 'zstd',
      'Content-Type': 'text/plain',
    };
    const request = guardAction(
      { method: 'POST', url: 'http://a.test/', headers, body: 'x' },
      sandbox,
    );
    expect(Object.fromEntries(request.headers)).toEqual({
      accept: 'text/html',
      'user-agent': 'me',
      'accept-encoding': 'gzip, deflate, br, zstd',
      'content-type': 'text/plain',
    });
    expect(request.body).toBe('x');
  });

  it('says that a body is JSON', () => {
    for (const headers of [{}, { 'content-type': ' ' }]) {
      const action = { method: 'PUT', url: 'http://a.test/', headers, body: {} };
      const request = guardAction(action, sandbox);
      expect([request.headers.get('content-type'), request.body]).toEqual([
        'application/json',
        '{}',
      ]);
    }
  });

  const action = {
    method: 'GET',
    url: 'ftp://a.test/',
    headers: { host: 'x' },
    body: new JsonText(nested(257)),
  };

  it('refuses with every violation: the URL, headers, the body', () => {
    const { code, violations, message } = refusalOf(action);
    expect(code).toBe('InvalidAction');
    expect(violations?.map(({ pointer }) => pointer)).toEqual(['/url', '/headers/host', '/body']);
    expect(message).toContain('/url');
  });

  it('refuses each violation alone', () => {
    const good = { method: 'GET', url: 'http://a.test/' };
    for (const bad of [{ url: action.url }, { headers: action.headers }, { body: action.body }])
      expect(refusalOf({ ...good, ...bad }).violations, Object.keys(bad)[0]).toHaveLength(1);
    expect(refusalOf({ ...good, method: 'TRACE' })).toMatchObject({
      code: 'InvalidAction',
      violations: [],
    });
  });

  it('refuses a host that is not listed, once the rest is in order', () => {
    expect(refusalOf({ method: 'GET', url: 'http://c.test/' })).toMatchObject({
      code: 'HostNotAllowed',
    });
    expect(refusalOf({ method: 'GET', url: 'http://c.test/', headers: { host: 'x' } }).code).toBe(
      'InvalidAction',
    );
  });
});

describe('inspectAction', () => {
  it.each([[null], [undefined], [1], ['text'], [{}], [[]], [{ url: 1, headers: 1, body: null }]])(
    'finds nothing in %j',
    (value) => {
      expect(inspectAction(value)).toEqual([]);
    },
  );

  it('finds what the guard would refuse, in order', () => {
    const value = { url: 'x', headers: { host: 'a' }, body: new JsonText(nested(257)) };
    expect(inspectAction(value).map(({ pointer }) => pointer)).toEqual([
      '/url',
      '/headers/host',
      '/body',
    ]);
  });

  it('passes over headers that are no map of strings', () => {
    for (const headers of [null, [], ['\n'], { host: 1 }, { host: 'a', b: 1 }, 'host'])
      expect(inspectAction({ headers })).toEqual([]);
  });

  it('judges the body by its content type', () => {
    const found = inspectAction({ headers: { 'content-type': 'text/plain' }, body: {} });
    expect(found.map(({ pointer }) => pointer)).toEqual(['/body']);
  });
});
