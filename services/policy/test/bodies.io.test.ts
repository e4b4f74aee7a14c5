import { afterAll, describe, expect, it } from 'vitest';
import { exchange } from './support/bare-socket.ts';
import { postCheck, startPolicy } from './support/policy-server.ts';
import { problemIn, received } from './support/problems.ts';

const LIMIT = 64 * 1024;
const MALFORMED = { status: 400, code: 'MalformedJson' };
const TOO_LARGE = { status: 413, code: 'PayloadTooLarge' };
const UNSUPPORTED = { status: 415, code: 'UnsupportedMediaType' };

const server = await startPolicy();
afterAll(() => server[Symbol.asyncDispose]());

/** An empty check, filled up with blanks to a size in bytes. */
const bodyOf = (bytes: number) => '{}'.padEnd(bytes);

describe('a body that is not JSON is refused', () => {
  it.each([
    ['empty', ''],
    ['blank', '  \n'],
    ['cut off', '{"spend":'],
    ['two documents', '{}{}'],
    ['a trailing comma', '{"pii":null,}'],
    ['single quotes', "{'pii':null}"],
    ['a comment', '{} // none'],
    ['NaN', '{"spend":{"amount_minor_units":NaN,"currency":"EUR"}}'],
    ['a word', 'undefined'],
    ['form data', 'spend=5'],
    ['two byte order marks', '\ufeff\ufeff{}'],
  ])('%s', async (_name, body) => {
    problemIn(await received(postCheck(server.url, body)), MALFORMED);
  });
});

describe('keys that reach for a prototype are refused', () => {
  it.each([
    ['__proto__', '{"__proto__":{"spend":null}}'],
    ['__proto__ written with an escape', '{"\\u005f_proto__":{}}'],
    ['__proto__ in a section', '{"connector":{"__proto__":{"scope":"mcp://calendar"}}}'],
    ['__proto__ in a list', '{"pii":{"categories":[{"__proto__":null}]}}'],
    ['constructor.prototype', '{"constructor":{"prototype":{"spend":null}}}'],
    ['constructor.prototype in a section', '{"legal":{"constructor":{"prototype":{}}}}'],
  ])('%s', async (_name, body) => {
    problemIn(await received(postCheck(server.url, body)), MALFORMED);
  });
});

describe('JSON that looks odd is taken', () => {
  it.each([
    ['a blank before a colon', '{"pii" : null}'],
    ['blanks and line ends everywhere', ' \r\n{\t"pii"\n: null }\n'],
    ['a byte order mark', '\ufeff{"pii":null}'],
  ])('%s', async (_name, body) => {
    expect((await postCheck(server.url, body)).status).toBe(200);
  });
});

describe('the size of a body', () => {
  it.each([LIMIT - 1, LIMIT])('%i bytes are taken', async (bytes) => {
    expect((await postCheck(server.url, bodyOf(bytes))).status).toBe(200);
  });

  it.each([LIMIT + 1, 2 * LIMIT])('%i bytes are refused', async (bytes) => {
    const problem = problemIn(await received(postCheck(server.url, bodyOf(bytes))), TOO_LARGE);
    expect(problem.detail).toMatch(/65536|64 KiB/);
  });

  it.each([
    [LIMIT, 200],
    [LIMIT + 1, 413],
  ])('%i bytes without a content-length: %i', async (bytes, status) => {
    const size = bytes.toString(16);
    const head =
      'POST /policy/check HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n';
    const chunked = `${head}transfer-encoding: chunked\r\n\r\n${size}\r\n${bodyOf(bytes)}\r\n0\r\n\r\n`;
    const answer = await exchange(server.port, chunked);
    expect(answer.status).toBe(status);
    if (status === 413) problemIn(answer, TOO_LARGE);
  });

  it('counts bytes and not characters', async () => {
    const body = JSON.stringify({ connector: { scope: 'é'.repeat(LIMIT / 2) } });
    problemIn(await received(postCheck(server.url, body)), TOO_LARGE);
  });
});

describe('the content type of a body', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
  ])('%s is taken', async (type) => {
    expect((await postCheck(server.url, '{}', { 'content-type': type })).status).toBe(200);
  });

  it.each([
    'text/plain',
    'text/json',
    'application/jsonx',
    'application/json5',
    'application/jsonp, application/json',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'json',
    '*/*',
  ])('%s is refused', async (type) => {
    problemIn(await received(postCheck(server.url, '{}', { 'content-type': type })), UNSUPPORTED);
  });

  it('has to be given', async () => {
    const untyped = { method: 'POST', body: new TextEncoder().encode('{}') };
    problemIn(await received(fetch(`${server.url}/policy/check`, untyped)), UNSUPPORTED);
  });

  it('an answer has is JSON in UTF-8', async () => {
    const answer = await postCheck(server.url, '{"connector":{"scope":"mcp://café"}}');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.text()).toContain('mcp://café');
  });
});
