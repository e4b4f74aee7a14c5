import { METHODS } from '@gatehouse/contracts';
import { type Reply, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';
import { startRawUpstream } from './support/raw-upstream.ts';

const executor = shared(startExecutor);

const EMPTY: [name: string, reply: Reply][] = [
  ['204', { status: 204 }],
  ['204 that claims a coding', { status: 204, headers: { 'content-encoding': 'gzip' } }],
  ['205', { status: 205, body: '' }],
  ['200 of zero bytes', { body: '' }],
  [
    '200 of zero bytes and JSON type',
    { headers: { 'content-type': 'application/json' }, body: '' },
  ],
  ['200 of zero bytes in gzip', { headers: { 'content-encoding': 'gzip' }, body: '' }],
  ['200 of zero bytes in br', { headers: { 'content-encoding': 'br' }, body: '' }],
  ['200 of zero bytes in an unknown coding', { headers: { 'content-encoding': 'zstd' }, body: '' }],
];

describe('an empty body is null', () => {
  it.each(EMPTY)('%s', async (_name, reply) => {
    await using upstream = await startUpstream(reply);
    expect(await executor().success({ method: 'GET', url: upstream.origin })).toMatchObject({
      status: reply.status ?? 200,
      body: null,
    });
  });

  it.each(METHODS)('204 to %s', async (method) => {
    await using upstream = await startUpstream({ status: 204 });
    expect(await executor().success({ method, url: upstream.origin })).toMatchObject({
      status: 204,
      body: null,
    });
  });

  it.each([
    ['with a length', { 'content-length': '1000', 'content-type': 'application/json' }],
    ['with a coding', { 'content-length': '1000', 'content-encoding': 'gzip' }],
    ['with a length above the limit', { 'content-length': '100000000000' }],
  ])('HEAD %s', async (_name, headers) => {
    await using upstream = await startUpstream((_request, response) =>
      response.writeHead(200, headers).end(),
    );
    expect(await executor().success({ method: 'HEAD', url: upstream.origin })).toMatchObject({
      headers,
      body: null,
    });
  });

  it.each([404, 500])('of a %i too', async (status) => {
    await using upstream = await startUpstream({ status, body: '' });
    const failure = await executor().failure({ method: 'POST', url: upstream.origin });
    expect(failure).toMatchObject({ error: 'HttpFailure', status, body: null });
  });

  it('of zero chunks', async () => {
    await using upstream = await startRawUpstream({
      asked: (socket) =>
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
    });
    expect(await executor().success({ method: 'GET', url: upstream.origin })).toMatchObject({
      body: null,
    });
  });

  it('of a connection that closes in order, without any length', async () => {
    await using upstream = await startRawUpstream({
      asked: (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'),
    });
    expect(await executor().success({ method: 'GET', url: upstream.origin })).toMatchObject({
      body: null,
    });
  });

  it('is checked against a response schema', async () => {
    await using upstream = await startUpstream({ status: 204 });
    const action = { method: 'GET', url: upstream.origin };
    await executor().success({ ...action, response_schema: { type: 'null' } });
    const failure = await executor().failure({ ...action, response_schema: { type: 'object' } });
    expect(failure).toMatchObject({
      error: 'SchemaValidationFailed',
      body: null,
      violations: [{ path: '' }],
    });
  });
});

const NOT_JSON: [name: string, body: string | Uint8Array][] = [
  ['HTML', '<html></html>'],
  ['cut short', '{"a":'],
  ['two documents', '{}{}'],
  ['NaN', 'NaN'],
  ['single quotes', "{'a':1}"],
  ['blanks alone', '  \n'],
  ['Latin-1', Buffer.from('"\xfc"', 'latin1')],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
  ['a NUL byte', '\0'],
  ['100000 levels', '['.repeat(100_000) + ']'.repeat(100_000)],
];

describe('a success whose body is not JSON', () => {
  it.each(NOT_JSON)('%s: ResponseNotJson, once', async (_name, body) => {
    await using upstream = await startUpstream({ body });
    const failure = await executor().failure({ method: 'GET', url: upstream.origin });
    expect(failure).toMatchObject({
      error: 'ResponseNotJson',
      message: textWith('200'),
      status: 200,
      attempts: 1,
    });
    expect(String(failure.body).length).toBeLessThan(1_000);
    expect(upstream.requests).toHaveLength(1);
  });
});
