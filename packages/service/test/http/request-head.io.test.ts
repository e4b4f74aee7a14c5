import type { Problem } from '@gatehouse/contracts';
import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import type { Server } from '../../src/index.ts';
import { exchange } from '../support/bare-exchange.ts';
import { startServer } from '../support/server.ts';
import { openWire, postHead, statusesOf } from '../support/wire.ts';

const LIMIT = 1_000;

/** Route that echoes its body. */
const echo = (app: Server) => app.post('/echo', (request) => ({ got: request.body ?? null }));
const server = shared(() => startServer(echo));

/** Sends bytes and returns the single reply, which must be a problem. */
async function problemFor(port: number, bytes: string): Promise<Problem> {
  const answer = await exchange(port, bytes);
  expect(statusesOf(answer)).toHaveLength(1);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^content-type: application\/problem\+json/im);
  return JSON.parse(body);
}

const post = (headers: Readonly<Record<string, string>>, body = '{"n":1}') =>
  postHead('/echo', {
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...headers,
  }) + body;

const TAKEN: [name: string, headers: Record<string, string>][] = [
  ['the plain type', { 'content-type': 'application/json' }],
  ['in another case', { 'content-type': 'Application/JSON' }],
  ['with the charset', { 'content-type': 'application/json;Charset=UTF-8' }],
  ['with the charset in quotes', { 'content-type': 'application/json; charset="utf-8"' }],
  ['with another parameter', { 'content-type': 'application/json; version=1' }],
  ['identity', { 'content-encoding': 'identity' }],
  ['an encoding without a name', { 'content-encoding': '' }],
];

const REFUSED: [name: string, headers: Record<string, string>][] = [
  ['text', { 'content-type': 'text/plain' }],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a type that only ends in json', { 'content-type': 'application/problem+json' }],
  ['a type without a subtype', { 'content-type': 'application' }],
  ['two types', { 'content-type': 'application/json, text/plain' }],
  ['an empty type', { 'content-type': '' }],
  ['Latin-1', { 'content-type': 'application/json; charset=iso-8859-1' }],
  [
    'a content type of over 1,024 characters',
    { 'content-type': `application/json;${' '.repeat(1_024)}a` },
  ],
  ['UTF-16', { 'content-type': 'application/json;charset="UTF-16"' }],
  ['gzip', { 'content-encoding': 'gzip' }],
  ['identity and gzip', { 'content-encoding': 'identity, gzip' }],
  ['an unknown encoding', { 'content-encoding': 'none' }],
];

describe('the type of a body', () => {
  it.each(TAKEN)('is accepted: %s', async (_name, headers) => {
    expect(await exchange(server().port, post(headers))).toMatch(
      /^HTTP\/1\.1 200 .*\{"got":\{"n":1\}\}$/s,
    );
  });

  it.each(REFUSED)('is refused with advice: %s', async (_name, headers) => {
    expect(await problemFor(server().port, post(headers))).toMatchObject({
      status: 415,
      code: 'UnsupportedMediaType',
      detail:
        'Send the body as JSON in UTF-8, with `content-type: application/json` and without `content-encoding`.',
    });
  });

  it('may be missing only if there is no body', async () => {
    const head = 'POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n';
    expect(await problemFor(server().port, `${head}content-length: 2\r\n\r\n{}`)).toMatchObject({
      status: 415,
    });
    const chunked = `${head}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    expect(await problemFor(server().port, chunked)).toMatchObject({ status: 415 });
    for (const framing of ['', 'content-length: 0\r\n']) {
      expect(await exchange(server().port, `${head}${framing}\r\n`), framing).toContain(
        '{"got":null}',
      );
    }
  });

  it('is ignored if no body is read', async () => {
    const get =
      'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\n';
    expect(statusesOf(await exchange(server().port, get))).toEqual(['200']);
  });
});

const UNWANTED: [
  name: string,
  path: string,
  headers: Record<string, string | number>,
  code: string,
][] = [
  ['too long', '/echo', { 'content-length': LIMIT + 1 }, 'PayloadTooLarge'],
  ['much too long', '/echo', { 'content-length': 50_000_000 }, 'PayloadTooLarge'],
  ['to an unknown path', '/nowhere', {}, 'NotFound'],
  ['with a wrong method', '/healthz', {}, 'MethodNotAllowed'],
  ['with another type', '/echo', { 'content-type': 'text/plain' }, 'UnsupportedMediaType'],
  ['to a malformed URL', '/%zz', {}, 'MalformedUrl'],
];

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

describe('expect: 100-continue', () => {
  it.each(UNWANTED)(
    'refuses a request %s immediately, without asking for its body',
    async (_name, path, headers, code) => {
      const common = { expect: '100-continue', 'content-length': 2 };
      const bytes = postHead(path, { ...common, ...headers });
      expect(await problemFor(server().port, bytes)).toMatchObject({ code });
    },
  );

  it.each([
    ['of the maximum length', { 'content-length': LIMIT }, `{"n":1}${' '.repeat(LIMIT - 7)}`],
    ['in chunks', { 'transfer-encoding': 'chunked' }, '7\r\n{"n":1}\r\n0\r\n\r\n'],
    ['in another case', { 'content-length': 7, expect: '100-Continue' }, '{"n":1}'],
  ])('%s: is asked for its body, once', async (_name, headers, body) => {
    using wire = openWire(server().port);
    await wire.send(postHead('/echo', { expect: '100-continue', connection: 'close', ...headers }));
    await wire.received(/\r\n\r\n/);
    expect(wire.text).toBe(CONTINUE);
    await wire.send(body);
    expect(await wire.over).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 .*\{"got":\{"n":1\}\}$/s,
    );
  });

  it('discards a body that turns out too large and closes the connection', async () => {
    using wire = openWire(server().port);
    await wire.send(postHead('/echo', { expect: '100-continue', 'transfer-encoding': 'chunked' }));
    await wire.received(/\r\n\r\n/);
    await wire.send(`7d0\r\n${'x'.repeat(2_000)}\r\n`);
    await wire.send('0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(statusesOf(await wire.over)).toEqual(['100', '413']);
  });

  it('does not execute what the client sends after a refusal', async () => {
    let seen = 0;
    await using server = await startServer((app) => app.post('/count', () => ({ seen: ++seen })));
    using wire = openWire(server.port);
    await wire.send(postHead('/count', { expect: '100-continue', 'content-length': LIMIT + 1 }));
    await wire.received(/PayloadTooLarge/);
    await wire.send(`${' '.repeat(LIMIT + 1)}${postHead('/count', { 'content-length': 2 })}{}`);
    expect(statusesOf(await wire.over)).toEqual(['413']);
    expect(seen).toBe(0);
  });

  it.each([
    ['1.0', '100-continue'],
    ['1.1', 'coffee'],
    ['1.1', '100-continue, coffee'],
  ])('is ignored in HTTP/%s: %s', async (version, ignored) => {
    const bytes = post({ expect: ignored }).replace('HTTP/1.1', `HTTP/${version}`);
    expect(statusesOf(await exchange(server().port, bytes))).toEqual(['200']);
  });
});

it.each([
  ['"status":"ok"', 'GET http://x/healthz', 'GET HTTPS://X:1/healthz?a=b'],
  ['"MethodNotAllowed"', 'PUT http://x/healthz'],
  ['"NotFound"', 'GET http://x', 'GET http://x?a=b', 'GET HTTP://X/..', 'GET //x/healthz'],
  ['"NotFound"', 'POST /./echo', 'GET /x/../healthz', 'GET /%2e/healthz'],
])('a target with an origin or dot segments: %s', async (expected, ...starts) => {
  const head = 'HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
  for (const start of starts)
    expect(await exchange(server().port, `${start} ${head}`), start).toContain(expected);
});

describe('a request without a host', () => {
  it.each(['GET /healthz', 'GET /nowhere', 'POST /echo'])(
    'is refused with a problem: %s',
    async (start) => {
      const head = `${start} HTTP/1.1\r\nconnection: close\r\n\r\n`;
      expect(await problemFor(server().port, head)).toMatchObject({
        status: 400,
        code: 'MalformedRequest',
        detail: 'Send a `host` header; HTTP/1.1 requires one.',
      });
    },
  );

  it('is accepted in HTTP/1.0', async () => {
    expect(statusesOf(await exchange(server().port, 'GET /healthz HTTP/1.0\r\n\r\n'))).toEqual([
      '200',
    ]);
  });
});
