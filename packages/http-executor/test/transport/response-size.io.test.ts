import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type Script, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from '../support/executor.ts';

const LIMIT = 1_000;
const executor = shared(() => startExecutor({ maxResponseBytes: LIMIT }));

type Encode = (body: string | Buffer) => Buffer;

const CODINGS: [name: string, encode: Encode, coding?: string | string[]][] = [
  ['no coding', Buffer.from],
  ['identity', Buffer.from, 'identity'],
  ['properties of objects', Buffer.from, 'constructor, __proto__'],
  ['gzip', (body) => gzipSync(body), 'gzip'],
  ['x-gzip in upper case with blanks', (body) => gzipSync(body), ' X-GZIP '],
  ['br', (body) => brotliCompressSync(body), 'br'],
  ['deflate', (body) => deflateSync(body), 'deflate'],
  ['a coding among words', (body) => gzipSync(body), 'identity, gzip, binary'],
];

const coded = (coding?: string | string[]): Record<string, string | string[]> =>
  coding ? { 'content-encoding': coding } : {};

/** Ways to send a body: with its length, and in chunks of one byte. */
const FRAMINGS: ((body: Buffer, headers: ReturnType<typeof coded>) => Script)[] = [
  (body, headers) => ({ headers, body }),
  (body, headers) => (_request, response) => {
    response.writeHead(200, headers);
    for (const byte of body) response.write(Buffer.of(byte));
    response.end();
  },
];

const fetchFrom = async (script: Script, by = executor()) => {
  await using upstream = await startUpstream(script);
  const outcome = await by.outcome({ method: 'GET', url: upstream.origin });
  expect(upstream.requests).toHaveLength(1);
  return outcome;
};
const sent = (body: Buffer, coding?: string | string[]) => ({ headers: coded(coding), body });

describe('the limit counts bytes after decompression', () => {
  it.each(CODINGS)('%s: exactly the limit passes, one byte more is too large', async (...row) => {
    const [, encode, coding] = row;
    for (const send of FRAMINGS)
      for (const bytes of [LIMIT, LIMIT + 1]) {
        const text = 'x'.repeat(bytes - 2);
        const outcome = await fetchFrom(send(encode(JSON.stringify(text)), coded(coding)));
        if (bytes === LIMIT) expect(outcome).toMatchObject({ outcome: 'success', body: text });
        else {
          expect(outcome).toMatchObject({ error: 'ResponseTooLarge', status: 200, attempts: 1 });
          expect(outcome).not.toHaveProperty('body');
        }
      }
  });

  it('and a large body of a failure does not change its error', async () => {
    const outcome = await fetchFrom({ status: 404, body: Buffer.alloc(100_000, 'x') });
    expect(outcome).toMatchObject({ error: 'HttpFailure', status: 404 });
  });

  it('and is 10 MiB by default', async () => {
    await using own = await startExecutor();
    for (const [bytes, kind] of [
      [10 * 2 ** 20, 'success'],
      [10 * 2 ** 20 + 1, 'failure'],
    ] as const) {
      const { outcome } = await fetchFrom(sent(Buffer.from(`"${'x'.repeat(bytes - 2)}"`)), own);
      expect(outcome).toBe(kind);
    }
  });
});

const TEXT = JSON.stringify('x'.repeat(50));
const UNREADABLE: [name: string, coding: string | string[], body: Buffer][] = [
  ['an unknown coding', 'zstd', Buffer.from(TEXT)],
  ['an unknown coding after a known one', 'gzip, compress', gzipSync(TEXT)],
  ['two codings', 'gzip, br', brotliCompressSync(gzipSync(TEXT))],
  ['two headers', ['gzip', 'gzip'], gzipSync(gzipSync(TEXT))],
  ['gzip that is none', 'gzip', Buffer.from(TEXT)],
  ['br that is none', 'br', Buffer.from('{"a":"not brotli at all"}')],
  ['deflate that is none', 'deflate', Buffer.from('{"a":"not deflate"}')],
  ['gzip cut short', 'gzip', gzipSync(TEXT).subarray(0, -9)],
  ['br cut short', 'br', brotliCompressSync(TEXT).subarray(0, -9)],
];

it.each(UNREADABLE)(
  '%s is RequestFailed because it cannot be decompressed',
  async (_name, coding, body) => {
    expect(await fetchFrom(sent(body, coding))).toMatchObject({
      error: 'RequestFailed',
      status: 200,
      attempts: 1,
      history: [],
      message: expect.stringContaining('content-encoding'),
    });
  },
);
