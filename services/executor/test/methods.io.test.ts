import { METHODS } from '@gatehouse/contracts';
import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';

const executor = shared(startExecutor);

const spellings = METHODS.flatMap((method) => [
  [method, method],
  [method.toLowerCase(), method],
  [method.charAt(0) + method.slice(1).toLowerCase(), method],
]);

describe('the method', () => {
  it.each(spellings)('%s arrives as %s', async (method, expected) => {
    await using upstream = await startUpstream();
    await executor().success({ method, url: `${upstream.origin}/a/b?c=d&c=%20e#part` });
    expect(upstream.requests).toMatchObject([
      { method: expected, url: '/a/b?c=d&c=%20e', body: '' },
    ]);
  });
});

const BODIES: [name: string, body: unknown][] = [
  ['an object', { a: [1, 'ü', null, { b: false }] }],
  ['an array', []],
  ['an empty object', {}],
  ['a string', 'text'],
  ['an empty string', ''],
  ['zero', 0],
  ['false', false],
];

describe('the body', () => {
  it.each(BODIES)('%s arrives as JSON', async (_name, body) => {
    await using upstream = await startUpstream();
    await executor().success({ method: 'POST', url: upstream.origin, body });
    const [received] = upstream.requests;
    expect(JSON.parse(received?.body ?? '')).toEqual(body);
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(JSON.stringify(body))),
    });
  });

  it.each(METHODS)('with %s arrives', async (method) => {
    await using upstream = await startUpstream();
    await executor().success({ method, url: upstream.origin, body: { a: 1 } });
    expect(upstream.requests).toMatchObject([
      {
        method,
        body: '{"a":1}',
        headers: { 'content-type': 'application/json', 'content-length': '7' },
      },
    ]);
  });

  it.each(['GET', 'HEAD', 'DELETE', 'OPTIONS'])(
    'with %s travels on a connection of its own',
    async (method) => {
      await using upstream = await startUpstream();
      await executor().success({ method, url: upstream.origin });
      await executor().success({ method, url: upstream.origin, body: { a: 1 } });
      await executor().success({ method, url: upstream.origin });
      const [before, withBody, after] = upstream.requests.map(({ connection }) => connection);
      expect(withBody).not.toBe(before);
      expect(after).not.toBe(withBody);
    },
  );

  it.each(['POST', 'PATCH'])('with %s never meets a used connection', async (method) => {
    await using upstream = await startUpstream();
    await executor().success({ method: 'GET', url: upstream.origin });
    await executor().success({ method, url: upstream.origin, body: { a: 1 } });
    await executor().success({ method, url: upstream.origin });
    expect(upstream.requests.map(({ connection }) => connection)).toEqual([1, 2, 3]);
  });
});

const CONTENT_TYPES: [name: string, headers: Record<string, string>][] = [
  ['in lower case', { 'content-type': 'application/vnd.api+json' }],
  ['in mixed case', { 'Content-Type': 'application/vnd.api+json' }],
];

describe('the content type', () => {
  it.each(CONTENT_TYPES)('set by the planner %s is kept', async (_name, headers) => {
    await using upstream = await startUpstream();
    await executor().success({ method: 'PUT', url: upstream.origin, headers, body: {} });
    expect(upstream.requests[0]?.headers['content-type']).toBe('application/vnd.api+json');
  });

  it.each(METHODS)('is not added to %s without a body', async (method) => {
    await using upstream = await startUpstream();
    await executor().success({ method, url: upstream.origin });
    expect(upstream.requests[0]?.headers).not.toHaveProperty('content-type');
  });
});

describe('explicit nulls count as absent', () => {
  it.each(METHODS)('%s with null headers, body and response_schema', async (method) => {
    await using upstream = await startUpstream();
    const action = {
      method,
      url: upstream.origin,
      headers: null,
      body: null,
      response_schema: null,
    };
    await executor().success(action);
    const [received] = upstream.requests;
    expect(received).toMatchObject({ method, body: '' });
    expect(received?.headers).not.toHaveProperty('content-type');
  });
});

describe('request headers', () => {
  it('arrive once each, as given, next to those of the executor', async () => {
    await using upstream = await startUpstream();
    const headers = {
      Authorization: 'Bearer abc',
      Cookie: 'a=b',
      'X-Note': 'a\tb',
      'X-Empty': '',
      Accept: 'text/csv',
    };
    await executor().success({ method: 'GET', url: upstream.origin, headers });
    expect(upstream.requests[0]?.headers).toEqual({
      authorization: 'Bearer abc',
      cookie: 'a=b',
      'x-note': 'a\tb',
      'x-empty': '',
      accept: 'text/csv',
      host: new URL(upstream.origin).host,
      connection: 'keep-alive',
      'user-agent': expect.stringMatching(/gatehouse/),
      'accept-encoding': 'gzip, deflate, br, zstd',
    });
  });

  it('a header named like an Object member arrives', async () => {
    await using upstream = await startUpstream();
    const headers = { constructor: 'a', 'has-own': 'b', tostring: 'c' };
    await executor().success({ method: 'GET', url: upstream.origin, headers });
    expect(upstream.requests[0]?.headers).toMatchObject(headers);
  });
});
