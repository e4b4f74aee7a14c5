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
