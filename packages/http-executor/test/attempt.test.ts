import zlib, {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { attempt } from '../src/attempt/attempt.ts';
import { BodyReader, type ReadBody } from '../src/attempt/body-reader.ts';
import { Progress } from '../src/attempt/progress.ts';
import { Cancelled } from '../src/index.ts';
import { type ResponseHandler, TransportError, type TransportFault } from '../src/transport.ts';
import { answer, ManualClock, NEVER, requestTo, sandbox, scripted } from './support/stages.ts';

type Script = (handler: ResponseHandler) => void;

function run(
  scripts: Script[],
  { clock = new ManualClock(), caller = NEVER, url = 'http://a.test/p' } = {},
) {
  const upstream = scripted(...scripts);
  const deps = {
    transport: upstream.transport,
    clock,
    sandbox,
    maxResponseBytes: 10,
  };
  return {
    upstream,
    clock,
    result: attempt(requestTo(url), deps, {
      number: 1,
      ms: 100,
      afresh: false,
      readEvents: false,
      signal: caller,
    }),
  };
}
const fails =
  (fault: TransportFault, message: string, sent = false): Script =>
  (handler) => {
    if (sent) handler.onStage('sending');
    handler.onError(new TransportError(fault, message));
  };

describe('attempt', () => {
  it('reads the response with its body, and closes the exchange', async () => {
    const { upstream, result, clock } = run([answer(200, { a: 'b' }, 'body')]);
    expect(await result).toEqual({
      response: { status: 200, headers: { a: 'b' }, body: { bytes: Buffer.from('body') } },
    });
    expect([upstream.abortedCount, clock.timers]).toEqual([1, 0]);
  });

  it('undoes the content coding', async () => {
    const script: Script = (handler) => {
      handler.onHeaders({ status: 200, headers: { 'content-encoding': 'gzip' } });
      handler.onData(gzipSync('abc'), () => {});
      handler.onEnd();
    };
    expect(await run([script]).result).toMatchObject({
      response: { body: { bytes: Buffer.from('abc') } },
    });
  });

  it('reads no more than the limit', async () => {
    const exact = await run([answer(200, {}, '0123456789')]).result;
    expect(exact).toMatchObject({ response: { body: { bytes: Buffer.from('0123456789') } } });
    const more = await run([answer(200, {}, '0123456789a')]).result;
    expect(more).toMatchObject({ response: { body: { fault: 'too_large' } } });
  });

  it('follows redirects within the attempt', async () => {
    const { upstream, result } = run([answer(302, { location: '/to' }), answer(200)]);
    expect(await result).toMatchObject({ response: { status: 200 } });
    expect(upstream.requests.map(({ url }) => url.pathname)).toEqual(['/p', '/to']);
  });

  it('says why it did not follow', async () => {
    const { result } = run([answer(302)]);
    expect(await result).toMatchObject({
      response: { status: 302, notFollowed: 'it has no location, or several.' },
    });
  });

  it('does not follow to an address that is refused', async () => {
    const redirect = answer(302, { location: 'http://b.test/' });
    const refused = await run([redirect, fails('address', 'Refused.')]).result;
    expect(refused).toMatchObject({ response: { status: 302, notFollowed: 'Refused.' } });
    const broken = await run([redirect, fails('connection', 'Broke.')]).result;
    expect(broken).toMatchObject({ fault: { classification: 'connect' } });
  });

  it.each<[fault: TransportFault, expected: object]>([
    [
      'connection',
      {
        error: 'ConnectFailure',
        classification: 'connect',
        message: 'So. It may have acted on the request.',
      },
    ],
    ['address', { error: 'ConnectFailure', addressRefused: true, message: 'So.' }],
    [
      'certificate',
      {
        error: 'ConnectFailure',
        message: 'So. It may have acted on the request. Another attempt will not help.',
      },
    ],
    ['protocol', { error: 'RequestFailed', message: 'So. It may have acted on the request.' }],
  ])('reports a fault of %s', async (fault, expected) => {
    expect(await run([fails(fault, 'So.', true)]).result).toEqual({ fault: expected });
  });

  it('says that nothing was sent', async () => {
    expect(await run([fails('connection', 'So.')]).result).toMatchObject({
      fault: { message: 'So. Nothing was sent.' },
    });
  });

  it('times out, and aborts the exchange', async () => {
    const clock = new ManualClock();
    const { upstream, result } = run(
      [
        (handler) => {
          handler.onStage('sending');
          clock.advance(100);
        },
      ],
      { clock },
    );
    expect(await result).toEqual({
      fault: {
        error: 'Timeout',
        classification: 'timeout',
        message:
          '`a.test` did not answer completely within 100 ms; it may have acted on the request.',
      },
    });
    expect(upstream.abortedCount).toBe(1);
  });

  it('times out in the midst of a compressed body', async () => {
    const clock = new ManualClock();
    const body = gzipSync('x'.repeat(1_000));
    const script: Script = (handler) => {
      handler.onHeaders({ status: 200, headers: { 'content-encoding': 'gzip' } });
      handler.onData(body.subarray(0, 12), () => {});
      clock.advance(100);
      handler.onData(body.subarray(12), () => {});
    };
    expect(await run([script], { clock }).result).toMatchObject({ fault: { error: 'Timeout' } });
  });

  it('is cut off in its body: a fault', async () => {
    const script: Script = (handler) => {
      answerHead(handler);
      handler.onError(new TransportError('connection', 'Cut.'));
    };
    expect(await run([script]).result).toMatchObject({
      fault: { message: 'Cut. It may have acted on the request.' },
    });
  });

  it('takes data only after the headers', async () => {
    const data = vi.fn();
    const script: Script = (handler) => {
      data(handler.onData(Buffer.from('x'), () => {}));
      handler.onEnd();
      answer(200)(handler);
    };
    expect(await run([script]).result).toMatchObject({
      response: { status: 200, body: { bytes: Buffer.alloc(0) } },
    });
    expect(data).toHaveBeenCalledWith(true);
  });

  it('rejects when the caller leaves, or something else breaks', async () => {
    const caller = new AbortController();
    const { result } = run([() => caller.abort()], { caller: caller.signal });
    await expect(result).rejects.toBeInstanceOf(Cancelled);
    const odd = run([(handler) => handler.onError(new Error('odd') as TransportError)]).result;
    await expect(odd).rejects.toThrow('odd');
  });
});

function answerHead(handler: ResponseHandler): void {
  handler.onStage('sending');
  handler.onHeaders({ status: 200, headers: {} });
  handler.onData(Buffer.from('ab'), () => {});
}

describe('Progress', () => {
  const progress = (...steps: (string | 'resolving' | 'connecting' | 'sending')[]) => {
    const made = new Progress();
    for (const step of steps) {
      if (step.startsWith('http')) made.begin(requestTo(step));
      else made.reached(step as 'sending');
    }
    return made;
  };

  it('counts only the current request as sent', () => {
    const message = progress('http://a.test/', 'http://b.test/', 'sending').consequence();
    expect(message).toBe('It may have acted on the request.');
  });

  it.each<[steps: string[], message: string]>([
    [['http://a.test/'], '`a.test` could not be connected to within 8 ms. Nothing was sent.'],
    [
      ['http://a.test/', 'resolving'],
      '`a.test` cannot be used: its name could not be resolved within 8 ms. Nothing was sent.',
    ],
    [
      ['http://a.test/', 'resolving', 'connecting'],
      '`a.test` could not be connected to within 8 ms. Nothing was sent.',
    ],
    [
      ['http://a.test:81/', 'sending'],
      '`a.test:81` did not answer completely within 8 ms; it may have acted on the request.',
    ],
    [
      ['http://a.test/', 'sending', 'http://b.test/'],
      '`b.test` could not be connected to within 8 ms. `a.test` may have acted on the request.',
    ],
    [
      ['http://a.test/', 'sending', 'http://b.test/', 'sending'],
      '`b.test` did not answer completely within 8 ms; `a.test` and `b.test` may have acted on the request.',
    ],
    [
      ['http://a.test/', 'sending', 'http://a.test/2', 'sending'],
      '`a.test` did not answer completely within 8 ms; it may have acted on the request.',
    ],
    [
      ['http://a.test/', 'sending', 'http://a.test/2'],
      '`a.test` could not be connected to within 8 ms. It may have acted on the request.',
    ],
  ])('%j', (steps, message) => {
    expect(progress(...steps).timeoutMessage(7.6)).toBe(message);
  });
});

/** What a reader makes of these parts. */
function read(
  coding: string | string[] | undefined,
  parts: Buffer[],
  max = 1_000,
): Promise<ReadBody> {
  return new Promise((resolve) => {
    const reader = new BodyReader(coding, max, resolve);
    for (const part of parts) reader.take(part, () => {});
    reader.end();
  });
}
const TEXT = Buffer.from('a text that is long enough to be compressed, compressed, compressed');

describe('BodyReader', () => {
  it.each<[name: string, coding: string | string[] | undefined, body: Buffer]>([
    ['no coding', undefined, TEXT],
    ['an empty coding', '', TEXT],
    ['identity', 'identity', TEXT],
    ['gzip', 'gzip', gzipSync(TEXT)],
    ['x-gzip in upper case with blanks', ' X-GZIP ', gzipSync(TEXT)],
    ['br', 'br', brotliCompressSync(TEXT)],
    ['deflate', 'deflate', deflateSync(TEXT)],
    ['raw deflate', 'deflate', deflateRawSync(TEXT)],
    ['a list of one', ['gzip'], gzipSync(TEXT)],
    ['zstd', 'zstd', zstdCompressSync(TEXT)],
    [
      'zstd in two frames',
      'zstd',
      Buffer.concat([TEXT.subarray(0, 9), TEXT.subarray(9)].map((part) => zstdCompressSync(part))),
    ],
    ['words that are no coding', 'utf-8, none', TEXT],
    ['a coding among them', 'identity, gzip, binary', gzipSync(TEXT)],
    ['a property of objects', 'constructor, __proto__', TEXT],
  ])('reads %s', async (_name, coding, body) => {
    expect(await read(coding, [body])).toEqual({ bytes: TEXT });
    expect(
      await read(
        coding,
        [...body].map((byte) => Buffer.from([byte])),
      ),
    ).toEqual({ bytes: TEXT });
  });

  it.each<[name: string, coding: string | string[]]>([
    ['a registered coding', 'compress'],
    ['one beside a known one', 'compress, gzip'],
    ['two in a row', 'gzip, br'],
    ['two headers', ['gzip', 'gzip']],
  ])('does not know %s', async (_name, coding) => {
    expect(await read(coding, [TEXT])).toEqual({ bytes: Buffer.alloc(0), fault: 'unknown_coding' });
  });

  it('reads an empty body in any coding', async () => {
    expect(await read('compress', [])).toEqual({ bytes: Buffer.alloc(0) });
    expect(await read('gzip', [Buffer.alloc(0)])).toEqual({ bytes: Buffer.alloc(0) });
  });

  it('finds what is not in the coding', async () => {
    expect(await read('gzip', [TEXT])).toEqual({ bytes: Buffer.alloc(0), fault: 'undecodable' });
    const codings = {
      gzip: gzipSync(TEXT),
      br: brotliCompressSync(TEXT),
      zstd: zstdCompressSync(TEXT),
    };
    for (const [coding, body] of Object.entries(codings)) {
      const cut = body.subarray(0, -9);
      expect(await read(coding, [cut]), coding).toMatchObject({ fault: 'undecodable' });
    }
  });

  it('counts up to the limit after decompression, and keeps what came before', async () => {
    expect(await read(undefined, [TEXT], TEXT.length)).toEqual({ bytes: TEXT });
    expect(await read('gzip', [gzipSync(TEXT)], TEXT.length)).toEqual({ bytes: TEXT });
    expect(await read('gzip', [gzipSync(TEXT)], TEXT.length - 1)).toMatchObject({
      fault: 'too_large',
    });
    const parts = [TEXT, TEXT, TEXT];
    expect(await read(undefined, parts, 2 * TEXT.length)).toEqual({
      bytes: Buffer.concat([TEXT, TEXT]),
      fault: 'too_large',
    });
  });

  it('keeps the window of zstd within 8 MiB', async () => {
    const windowed = (log: number) =>
      zstdCompressSync(Buffer.alloc(2 ** 24), {
        params: { [constants.ZSTD_c_windowLog]: log, [constants.ZSTD_c_contentSizeFlag]: 0 },
      });
    const max = 2 ** 24;
    expect((await read('zstd', [windowed(23)], max)).bytes).toHaveLength(max);
    expect(await read('zstd', [windowed(24)], max)).toMatchObject({ fault: 'undecodable' });
  });

  it('puts many parts together without changing them', async () => {
    const parts = Array.from({ length: 50 }, (_, n) => Buffer.alloc(n + 1, n));
    const whole = Buffer.concat(parts);
    const copies = parts.map((part) => Buffer.from(part));
    expect(await read(undefined, parts, 10_000)).toEqual({ bytes: whole });
    expect(parts).toEqual(copies);
  });

  it('calls back once, closes its decoder, and takes what comes later without a word', async () => {
    const opened = vi.spyOn(zlib, 'createGunzip');
    for (const coding of [undefined, 'gzip']) {
      const body = coding === undefined ? Buffer.alloc(1_000) : gzipSync(Buffer.alloc(1_000));
      const done = vi.fn();
      const reader = new BodyReader(coding, 100, done);
      reader.take(body, () => {});
      await expect.poll(() => done.mock.calls.length).toBe(1);
      expect(
        reader.take(body, () => {}),
        coding,
      ).toBe(true);
      reader.end();
      const closed = opened.mock.results.map(({ value }) => value.destroyed);
      expect(closed, coding).toEqual(coding === undefined ? [] : [true]);
      await new Promise((resolve) => setImmediate(resolve));
      expect(done).toHaveBeenCalledOnce();
      opened.mockClear();
    }
    opened.mockRestore();
  });

  it.each([undefined, 'unknown'])('asks nobody to wait for what ends it: coding %s', (coding) => {
    const done = vi.fn();
    const reader = new BodyReader(coding, 100, done);
    expect(reader.take(Buffer.alloc(101), () => {})).toBe(true);
    expect(done).toHaveBeenCalledOnce();
  });

  it('says nothing once it is destroyed', async () => {
    const done = vi.fn();
    const reader = new BodyReader('gzip', 1_000, done);
    reader.take(gzipSync(TEXT), () => {});
    reader.destroy();
    reader.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).not.toHaveBeenCalled();
  });

  it('asks to wait while the decoder is behind, and to resume when it has caught up', async () => {
    const body = gzipSync(Buffer.from(Array.from({ length: 400_000 }, () => Math.random() * 256)));
    const result = await new Promise<ReadBody>((resolve) => {
      const reader = new BodyReader('gzip', 1_000_000, resolve);
      let at = 0;
      const feed = () => {
        while (at < body.length) {
          at += 50_000;
          if (!reader.take(body.subarray(at - 50_000, at), feed)) return;
        }
        reader.end();
      };
      feed();
    });
    expect(result.bytes).toHaveLength(400_000);
    const reader = new BodyReader('gzip', 1_000_000, () => {});
    expect(reader.take(body, () => {})).toBe(false);
    reader.destroy();
  });
});
