import zlib from 'node:zlib';
import { type Handler, reply, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';

const LIMIT = 1_000;
const executor = shared(() =>
  startExecutor({ env: { HTTP_EXECUTOR_MAX_RESPONSE_BYTES: String(LIMIT) } }),
);

/** A JSON string of so many bytes, quotes included. */
const jsonOf = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));

const CODINGS: [name: string, encode: (text: string) => Buffer, coding: string | undefined][] = [
  ['identity', (text) => Buffer.from(text), undefined],
  ['identity by name', (text) => Buffer.from(text), 'identity'],
  ['gzip', (text) => zlib.gzipSync(text), 'gzip'],
  ['GZIP', (text) => zlib.gzipSync(text), 'GZIP'],
  ['x-gzip', (text) => zlib.gzipSync(text), 'x-gzip'],
  ['br', (text) => zlib.brotliCompressSync(text), 'br'],
  ['deflate', (text) => zlib.deflateSync(text), 'deflate'],
  ['raw deflate', (text) => zlib.deflateRawSync(text), 'deflate'],
];

/** Ways of framing a body: at once and in pieces. */
const FRAMINGS: [name: string, send: (body: Buffer, headers: Record<string, string>) => Handler][] =
  [
    [
      'with a length',
      (body, headers) => (_request, response) => reply(response, { headers, body }),
    ],
    [
      'in chunks',
      (body, headers) => (_request, response) => {
        response.writeHead(200, headers);
        for (const byte of body) response.write(Buffer.of(byte));
        response.end();
      },
    ],
  ];

const SIZE_CASES = CODINGS.flatMap(([name, encode, coding]) =>
  FRAMINGS.map(([framing, send]) => ({
    name,
    framing,
    send,
    encode,
    headers: coding ? { 'content-encoding': coding } : {},
  })),
);

describe('the limit counts bytes after decompression', () => {
  it.each(SIZE_CASES)(
    '$name $framing: exactly the limit passes',
    async ({ encode, send, headers }) => {
      await using upstream = await startUpstream(send(encode(jsonOf(LIMIT)), { ...headers }));
      const { body } = await executor().success({ method: 'GET', url: upstream.origin });
      expect(body).toBe('x'.repeat(LIMIT - 2));
    },
  );

  it.each(SIZE_CASES)(
    '$name $framing: one byte more is too large',
    async ({ encode, send, headers }) => {
      await using upstream = await startUpstream(send(encode(jsonOf(LIMIT + 1)), { ...headers }));
      const failure = await executor().failure({ method: 'GET', url: upstream.origin });
      expect(failure).toMatchObject({
        error: 'ResponseTooLarge',
        status: 200,
        attempts: 1,
        history: [],
      });
      expect(failure).not.toHaveProperty('body');
      expect(upstream.requests).toHaveLength(1);
    },
  );

  it('a large failure stays a failure of its status', async () => {
    await using upstream = await startUpstream({ status: 404, body: 'x'.repeat(100_000) });
    const failure = await executor().failure({ method: 'GET', url: upstream.origin });
    expect(failure).toMatchObject({ error: 'HttpFailure', status: 404 });
  });
});

describe('reading stops at the limit', () => {
  it('is 10 MiB by default', async () => {
    const limit = 10 * 1024 * 1024;
    await using upstream = await startUpstream([
      { body: jsonOf(limit) },
      { body: jsonOf(limit + 1) },
    ]);
    await using own = await startExecutor();
    const first = await own.execute({ method: 'GET', url: upstream.origin });
    expect(await first.json()).toMatchObject({ outcome: 'success' });
    expect(await own.failure({ method: 'GET', url: upstream.origin })).toMatchObject({
      error: 'ResponseTooLarge',
    });
  });
});

const UNREADABLE: [name: string, coding: string | string[], body: Buffer][] = [
  ['zstd that is none', 'zstd', Buffer.from('{}')],
  ['an unknown coding after a known one', 'gzip, compress', zlib.gzipSync('{}')],
  ['gzip that is none', 'gzip', Buffer.from('{}')],
  ['gzip cut short', 'gzip', zlib.gzipSync(JSON.stringify('x'.repeat(50))).subarray(0, -12)],
  ['br that is none', 'br', Buffer.from('{"a":"not brotli at all"}')],
  ['deflate that is none', 'deflate', Buffer.from('{"a":"not deflate"}')],
];

describe('a body that cannot be decompressed', () => {
  it.each(UNREADABLE)('%s: RequestFailed, once', async (_name, coding, body) => {
    await using upstream = await startUpstream({ headers: { 'Content-Encoding': coding }, body });
    const failure = await executor().failure({ method: 'GET', url: upstream.origin });
    expect(failure).toMatchObject({
      error: 'RequestFailed',
      status: 200,
      attempts: 1,
      history: [],
    });
    expect(failure.message).toMatch(/content-encoding/);
    expect(upstream.requests).toHaveLength(1);
  });
});
