import { inspectAction } from '@gatehouse/contracts/action';
import { JsonText } from '@gatehouse/contracts/json';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { guard } from '../../src/guard/guard.ts';
import { createSandbox, headerRules } from '../../src/index.ts';
import type { ResponseSchemas } from '../../src/threads/response-schemas.ts';
import { startExecutor } from '../support/executor.ts';

const inspect = (value: unknown) =>
  inspectAction(value, 1024 * 1024).map(({ pointer, message }) => [pointer, message]);
const faults = (headers: Record<string, string>) => inspect({ headers });

const headersOf = (count: number, value = 'v') =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${100 + n}`, value]));

describe('request headers', () => {
  it.each<[name: string, headers: Record<string, string>, message?: string]>([
    ['100 headers', headersOf(100)],
    ['101 headers', headersOf(101), 'must have at most 100 headers'],
    ['32,768 bytes in total', { ...headersOf(4, 'v'.repeat(8_186)), abc: 'v' }],
    [
      '32,769 bytes in total',
      { ...headersOf(4, 'v'.repeat(8_186)), abc: 'vv' },
      'must have at most 32768 bytes in total',
    ],
    ['a value of 8,192 bytes', { a: 'v'.repeat(8_192) }],
  ])('are limited: %s', (_name, headers, message) => {
    expect(faults(headers)).toEqual(message === undefined ? [] : [['/headers', message]]);
  });

  it('have values of at most 8,192 bytes', () => {
    const message = 'must have a value of at most 8192 bytes';
    expect(faults({ a: 'v'.repeat(8_193) })).toEqual([['/headers/a', message]]);
  });

  const NAME = "must have a name that contains only letters, digits and !#$%&'*+-.^_`|~";
  it('must have a token as their name', () => {
    for (const name of ['', 'a b', 'a:', ':a', 'ä', 'a\n', '\na', 'a\0', '(a)', 'a/b', 'a@b', '"'])
      expect(faults({ [name]: '1' })).toEqual([[`/headers/${name.replace('/', '~1')}`, NAME]]);
    for (const name of ["!#$%&'*+-.^_`|~", '0', 'Z', 'x_y'])
      expect(faults({ [name]: '1' }), name).toEqual([]);
  });

  const VALUE = 'must have a value that contains only visible ASCII, spaces and tabs';
  it('must have values of visible ASCII, spaces and tabs', () => {
    const bad = ['a\nb', 'a\r\nx-b: c', 'a\rb', '\0', '\x1f', '\x7f', 'é', 'Ā', '\n', '\x08'];
    for (const value of [...bad, 'a\x85', '🔑', '\ud83d', 'a\u2028b', 'a\xa0', '\x1b[31m'])
      expect(faults({ a: value }), value).toEqual([['/headers/a', VALUE]]);
    for (const value of ['', ' ', '\t', '~', 'a\tb', '!'])
      expect(faults({ a: value }), value).toEqual([]);
  });

  const GROUPS: [reason: string, names: string][] = [
    [
      'describes the connection, which the executor controls',
      'connection keep-alive upgrade http2-settings te trailer expect',
    ],
    [
      'describes how the body is sent, which the executor controls',
      'content-length transfer-encoding content-encoding',
    ],
    ['could name a different host than the URL', 'host'],
    ['is reserved for proxies', 'proxy proxy-authorization proxy-connection via max-forwards'],
    [
      'could deceive the upstream about the sender or the URL',
      'forwarded x-forwarded x-forwarded-for x-forwarded-host x-real-ip x-original-url x-rewrite-url',
    ],
    [
      'gives access to cloud metadata services',
      'metadata metadata-flavor x-aws-ec2-metadata-token x-google-metadata-request',
    ],
    [
      'could override the method that the executor checked',
      'x-http-method x-http-method-override x-method-override',
    ],
  ];
  it.each(GROUPS)('must not include one that %s', (reason, names) => {
    for (const name of names.split(' '))
      for (const written of [name, name.toUpperCase(), name.replaceAll('-', '_')]) {
        const message = `must not be set, because the header ${reason}; leave it out`;
        expect(faults({ [written]: '1' })).toEqual([[`/headers/${written}`, message]]);
      }
  });

  it('may have names similar to refused ones', () => {
    const longer =
      'hosts viaduct proxies tee x-forward content-lengths x-real-ips metadata-a x-http-methods';
    const names = GROUPS.flatMap(([, refused]) => refused.split(' ').map((name) => `a-${name}`));
    for (const name of [...names, ...longer.split(' ')])
      expect(faults({ [name]: '1' }), name).toEqual([]);
  });

  it('must not authenticate a connection, which other executions reuse', () => {
    for (const value of ['Negotiate YIIJ', 'NTLM', 'ntlm\tTlRM', ' negotiate YIIJ', 'NTLM '])
      for (const name of ['authorization', 'Authorization'])
        expect(faults({ [name]: value }), value).toEqual([
          [`/headers/${name}`, expect.stringContaining('Negotiate')],
        ]);
    for (const value of ['NegotiateX a', 'NTLMv2 a', 'Bearer ntlm', 'XNTLM a', 'x negotiate'])
      expect(faults({ authorization: value }), value).toEqual([]);
    expect(faults({ 'x-scheme': 'NTLM' })).toEqual([]);
  });

  it('must not appear twice with different capitalization', () => {
    expect(faults({ 'X-A': '1', 'x-a': '1', 'X-a': '2' })).toEqual([
      ['/headers/x-a', 'appears twice with different capitalization; send it once'],
      ['/headers/X-a', 'appears twice with different capitalization; send it once'],
    ]);
  });

  it('have a shortened pointer if their name is long', () => {
    const pointer = (name: string) => faults({ [name]: '1' })[0]?.[0];
    expect(pointer(`${'n'.repeat(400)}(`)).toBe(`/headers/${'n'.repeat(290)}…`);
    expect(pointer(`${'n'.repeat(290)}(`)).toBe(`/headers/${'n'.repeat(290)}(`);
    expect(pointer(`${'/'.repeat(140)}n`)).toBe(`/headers/${'~1'.repeat(140)}n`);
  });
});

const HALF =
  'must not contain an unpaired surrogate, which UTF-8 cannot encode; only a JSON body can carry one, as an escape';
const DEEP = 'must be at most 256 levels deep';
const SCALARS =
  'must be a string, a number, a boolean or a flat list of those; for nested values, name the members `a[b]`';
const charset = (name: string) =>
  `is sent in UTF-8, but the content type declares \`${name}\`; set its charset to \`utf-8\`, or leave the charset out`;
const text = (type: string) =>
  `must be a string if the content type is \`${type}\`; to send JSON, send the body as a string that holds the JSON text, or set the content type to \`application/json\``;
const PARTS =
  'must be a string if the content type is `multipart/mixed`; to send files, use `multipart/form-data`';
const FORM = 'application/x-www-form-urlencoded';
const NO_FORM = `must be an object or a string if the content type is \`${FORM}\``;
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

function deepValue(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

/** Bodies as JSON texts or values, each with its content type and the message of its refusal. */
const UNSENDABLE: [type: string | undefined, body: unknown, message: string][] = [
  [undefined, new JsonText(nested(257)), DEEP],
  [undefined, deepValue(100_000), DEEP],
  ['application/json; charset=iso-8859-1', new JsonText(nested(257)), DEEP],
  ['text/plain', {}, text('text/plain')],
  ['TEXT/CSV', ['a'], text('text/csv')],
  ['application/xml', 1, text('application/xml')],
  // AWS accepts no other type, so the advice begins with the string.
  ['application/x-amz-json-1.1', { a: 1 }, text('application/x-amz-json-1.1')],
  ['application/xjson', {}, text('application/xjson')],
  ['application/octet-stream', false, text('application/octet-stream')],
  ['multipart/mixed', { a: 1 }, PARTS],
  ['text/plain; charset=iso-8859-1', 'é', charset('iso-8859-1')],
  ['text/csv;charset=utf-16', 'e', charset('utf-16')],
  ['text/csv; charset=utf-7', 'e', charset('utf-7')],
  ['text/plain; charset=x-utf-8', 'e', charset('x-utf-8')],
  ['text/plain; charset=utf-88', 'e', charset('utf-88')],
  ['application/json; charset="latin1"', ['é'], charset('latin1')],
  ['text/plain', new JsonText('"\\ud800"'), HALF],
  ['text/plain', new JsonText('"\\uDFFF"'), HALF],
  ['text/plain', new JsonText('"\\udc00\\ud800"'), HALF],
  [FORM, new JsonText('"\\ud800"'), HALF],
  [FORM, [1], NO_FORM],
  [FORM, 1, NO_FORM],
  [FORM, true, NO_FORM],
];

/** Forms as JSON texts or values, with the violations of each. */
const UNSENDABLE_FORMS: [body: unknown, violations: [pointer: string, message: string][]][] = [
  [new JsonText('{"a":"\\ud83d"}'), [['/body/a', HALF]]],
  [new JsonText('{"\\ud83d":"a"}'), [['/body/\ufffd', HALF]]],
  [{ a: {} }, [['/body/a', SCALARS]]],
  [{ a: [[]] }, [['/body/a/0', SCALARS]]],
  [
    { a: null, b: ['x', {}], c: 1 },
    [
      ['/body/a', SCALARS],
      ['/body/b/1', SCALARS],
    ],
  ],
];

describe('a body', () => {
  it.each(UNSENDABLE_FORMS)('is refused if it cannot be sent as a form: %j', (body, violations) => {
    expect(inspect({ headers: { 'content-type': FORM }, body })).toEqual(violations);
  });

  it.each(UNSENDABLE)('is refused if it cannot be sent as %s: %j', (type, body, message) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    expect(inspect({ headers, body })).toEqual([['/body', message]]);
  });

  it('may become a form of twice the request size limit', () => {
    // Each item repeats the name, which makes the form larger than the request.
    const action = { headers: { 'content-type': FORM }, body: { nn: [1, 2.5, 'ä', true] } };
    const bytes = 'nn=1&nn=2.5&nn=%C3%A4&nn=true'.length;
    for (const max of [bytes / 2 + 0.5, bytes / 2]) expect(inspectAction(action, max)).toEqual([]);
    expect(inspectAction(action, bytes / 2 - 0.5)).toEqual([
      {
        pointer: '/body',
        message: expect.stringMatching(
          /^is longer than 28 bytes when encoded as a form; send fewer/,
        ),
      },
    ]);
  });

  it('is not read if the host is refused', async () => {
    const body = {
      get any(): never {
        throw new Error('the body was read');
      },
    };
    await using executor = await startExecutor({ hosts: ['a.test'] });
    const headers = { 'content-type': FORM };
    const action = { method: 'POST', url: 'https://evil.test/', headers, body };
    expect((await executor.refusal(action)).code).toBe('HostNotAllowed');
    const malformed = { ...action, headers: { ...headers, host: 'a.test' } };
    const { violations } = await executor.refusal(malformed);
    expect(violations).toMatchObject([{ pointer: '/headers/host' }]);
  });

  it('must be a JSON value', () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect(() => inspect({ body: cyclic })).toThrow(TypeError);
  });
});

describe('an action', () => {
  const bad = { url: 'ftp://a.test/', headers: { host: 'x' }, body: new JsonText(nested(257)) };

  it('is refused with all violations of its URL, headers and body', async () => {
    await using executor = await startExecutor({ hosts: ['a.test'] });
    const { code, violations, message } = await executor.refusal({ method: 'GET', ...bad });
    expect(code).toBe('InvalidAction');
    expect(violations?.map(({ pointer }) => pointer)).toEqual(['/url', '/headers/host', '/body']);
    expect(message).toContain('/url');
    const elsewhere = { method: 'GET', url: 'http://c.test/' };
    expect((await executor.refusal(elsewhere)).code).toBe('HostNotAllowed');
    const both = await executor.refusal({ ...elsewhere, headers: bad.headers });
    expect(both.code).toBe('InvalidAction');
    const { code: ofMethod } = await executor.refusal({ method: 'TRACE', url: 'http://a.test/' });
    expect(ofMethod).toBe('InvalidAction');
  });

  it.each([
    ['GET', []],
    ['POST', ['/url']],
  ])('may have a fragment only if it is a read: %s', async (method, pointers) => {
    await using executor = await startExecutor({ hosts: ['a.test'] });
    const action = { method, url: 'http://a.test/#part', headers: { host: 'x' } };
    const { violations } = await executor.refusal(action);
    expect(violations?.map(({ pointer }) => pointer)).toEqual([...pointers, '/headers/host']);
  });

  it('is refused for now if no thread is free to compile its schema', async () => {
    const busy = { accept: async () => ({ ok: false, reason: 'busy' }) };
    const rules = {
      ...{ sandbox: createSandbox(['a.test'], []), schemas: busy as unknown as ResponseSchemas },
      ...{ headerRules: headerRules(), maxRequestBytes: 1024, clock: systemClock },
      ...{ decisions: undefined, keepsKeys: false },
    };
    const action = { method: 'GET', url: 'http://a.test/', response_schema: {} };
    const refused = { code: 'TooManyRequests', message: expect.stringContaining('later') };
    await expect(guard(action, rules, {})).rejects.toMatchObject(refused);
  });

  it('is inspected in the same order, even if it is not an object', () => {
    expect(inspect(bad).map(([pointer]) => pointer)).toEqual(['/url', '/headers/host', '/body']);
    const values = [null, undefined, 1, 'text', {}, [], { url: 1, headers: 1, body: null }];
    for (const value of values) expect(inspect(value)).toEqual([]);
    for (const headers of [null, [], ['\n'], { host: 1 }, 'é', 'x'.repeat(200)])
      expect(inspect({ headers })).toEqual([]);
    expect(inspect({ headers: { host: 'a', b: 1 } })).toHaveLength(1);
  });
});
