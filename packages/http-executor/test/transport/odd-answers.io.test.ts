import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { shared, startRawUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { startExecutor } from '../support/executor.ts';

const executor = shared(() => startExecutor({ clock: fakeClock() }));

const GOOD = '{"good":true}';
const HUNDRED = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n';

function answer(headers: readonly string[], body: string | Buffer = GOOD): Buffer {
  const lines = ['HTTP/1.1 200 OK', ...headers];
  if (!headers.some((line) => line.startsWith('content-length')))
    lines.push(`content-length: ${Buffer.byteLength(body)}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

const after = (before: string) => Buffer.concat([Buffer.from(before), answer([])]);

/** Odd answers of real servers that are read like ordinary ones. */
const GOOD_ANSWERS: Record<string, Buffer> = {
  'after early hints': after(HINTS),
  'after two early hints': after(HINTS + HINTS),
  // RFC 9110, section 8.4.1, reserves `identity`. The other words are not content codings.
  ...Object.fromEntries(
    ['identity', 'UTF-8, identity', 'chunked', ','].map((word) => [
      `with the content-encoding ${word}`,
      answer([`content-encoding: ${word}`]),
    ]),
  ),
};

/** Sends two requests on one connection, where the rest of one answer could spoil the next. */
async function askTwice(bytes: Buffer, method: string): Promise<void> {
  await using upstream = await startRawUpstream({ asked: (socket) => socket.write(bytes) });
  for (let time = 1; time <= 2; time++) {
    const outcome = await executor().success({ method, url: upstream.origin });
    expect(outcome).toMatchObject({ body: { good: true }, attempts: 1, history: [] });
    // undici reuses a connection only in a later turn of the event loop.
    await nextTurn();
  }
  expect(upstream.connections).toBe(1);
}

describe('an odd answer is accepted', () => {
  it.each(Object.entries(GOOD_ANSWERS))('%s', async (_name, bytes) => {
    for (const method of ['GET', 'PUT', 'POST']) await askTwice(bytes, method);
  });

  it('early hints that arrive in pieces, long before the response', async () => {
    const pieces = [...HINTS, answer([])];
    await using upstream = await startRawUpstream({ asked: (socket) => drip(socket, pieces) });
    for (const method of ['GET', 'POST'])
      await executor().success({ method, url: upstream.origin });
  });
});

/** Answers that undici refuses. */
const REFUSED: Record<string, [answer: Buffer, message: RegExp]> = {
  'a 100 that was not asked for': [after(HUNDRED), /sent `100 Continue` without being asked to/],
  'a 100 and then nothing more': [
    Buffer.from(HUNDRED),
    /sent `100 Continue` without being asked to/,
  ],
  'early hints and a 100': [after(HINTS + HUNDRED), /sent `100 Continue` without being asked to/],
  'a 101 that was not asked for': [
    Buffer.from('HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'),
    /switched protocols without being asked/,
  ],
  'a length given twice': [
    answer(['content-length: 13', 'Content-Length:13']),
    /has a duplicate content-length/,
  ],
  'a list of one length': [answer(['content-length: 13, 13']), /has a duplicate content-length/],
  'two lengths': [
    answer(['content-length: 13', 'content-length: 14']),
    /has a duplicate content-length/,
  ],
  'no status line': [
    Buffer.from('hello\r\n\r\n'),
    /did not send a well-formed HTTP\/1\.1 response/,
  ],
};

describe('a refused answer', () => {
  it.each(Object.entries(REFUSED))(
    '%s is a fault with a clear message',
    async (_n, [bytes, message]) => {
      for (const method of ['GET', 'POST']) {
        await using upstream = await startRawUpstream({ asked: (socket) => socket.write(bytes) });
        const outcome = await executor().failure({ method, url: upstream.origin });
        expect(outcome.message).toMatch(message);
        expect(outcome.message).toMatch(/It may have acted on the request\.$/);
        expect(upstream.requests).toBe(outcome.attempts);
        await expect.poll(() => upstream.open, { interval: 5 }).toBe(0);
      }
    },
  );
});

describe('header values', () => {
  const SECRET = 'grüße-an-alle-straßen';
  const bytes = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding);

  /**
   * Returns a header value as the executor shows it. The action sends the secret as a Basic
   * password in UTF-8.
   */
  async function shownOf(value: Buffer): Promise<unknown> {
    const head = ['HTTP/1.1 200 OK', 'content-length: 4', 'x-a: '].join('\r\n');
    const answer = Buffer.concat([Buffer.from(head), value, Buffer.from('\r\n\r\ntrue')]);
    await using upstream = await startRawUpstream({ asked: (socket) => socket.write(answer) });
    const authorization = `Basic ${bytes(`user:${SECRET}`, 'utf8').toString('base64')}`;
    const action = { method: 'GET', url: upstream.origin, headers: { authorization } };
    return (await executor().success(action)).headers['x-a'];
  }

  it('are decoded as UTF-8 or latin1, and redacted', async () => {
    const bad = Buffer.from([0xe4]);
    const cases: [value: Buffer, shown: string][] = [
      [bytes('Größe "1" \\ 日本 🎉', 'utf8'), 'Größe "1" \\ 日本 🎉'],
      [bytes('Größe', 'latin1'), 'Größe'],
      [Buffer.concat([bytes('ü', 'utf8'), bad]), 'Ã¼ä'],
      [bytes(`ä ${SECRET} ä`, 'utf8'), 'ä REDACTED ä'],
      [bytes(`ä ${SECRET} ä`, 'latin1'), 'ä REDACTED ä'],
      [Buffer.concat([bytes(SECRET, 'utf8'), bad]), 'REDACTEDä'],
    ];
    for (const [value, shown] of cases) expect(await shownOf(value)).toBe(shown);
  });
});

/** Sends one piece per turn of the event loop. */
function drip(socket: Socket, [first, ...others]: readonly (string | Buffer)[]): void {
  if (first !== undefined) socket.write(first, () => setImmediate(drip, socket, others));
}
