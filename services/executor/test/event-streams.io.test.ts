import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { shared } from '@gatehouse/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { textWith, threeRecords } from './support/outcomes.ts';
import { startRawUpstream } from './support/raw-upstream.ts';

const ATTEMPT_MS = 400;
const SECRET = 'Zu5Xk1vTq9Lw3RbN8mHc';
const headers = { authorization: `Bearer ${SECRET}` };
const clock = fakeClock();
const env = { HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: String(ATTEMPT_MS) };
const executor = shared(() => startExecutor({ clock, env }));
beforeEach(() => clock.restart());

const EVENTS = 'event: price\ndata: {"usd":1}\n\ndata: é\r\n\r\n';

interface Stream {
  readonly status?: string;
  readonly type?: string;
  readonly more?: string;
  /** Written one after the other, so that each arrives before the next. */
  readonly parts: readonly (string | Buffer)[];
  readonly end: 'never' | 'FIN' | 'RST';
}

/** A response without length; after `never`, the time of the attempt is over. */
function send(socket: Socket, { status = '200 OK', type = 'text/event-stream', ...rest }: Stream) {
  const head = `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\n${rest.more ?? ''}\r\n`;
  const write = ([part, ...others]: Stream['parts']): void => {
    if (part !== undefined) socket.write(part, () => setImmediate(setImmediate, write, others));
    else if (rest.end === 'FIN') socket.end();
    else if (rest.end === 'RST') socket.resetAndDestroy();
    else clock.pass(ATTEMPT_MS);
  };
  write([head, ...rest.parts]);
}

async function outcomeOf(stream: Stream, action: object = {}) {
  await using upstream = await startRawUpstream({ asked: (socket) => send(socket, stream) });
  const outcome = await executor().outcome({ method: 'GET', url: upstream.origin, ...action });
  expect(upstream.requests).toBe(outcome.attempts);
  await expect.poll(() => upstream.open, { interval: 5 }).toBe(0);
  return outcome;
}

const ENDLESS = {
  outcome: 'failure',
  error: 'Timeout',
  message: textWith('accepted the request with status 200', 'text/event-stream', 'did not end'),
  ...{ status: 200, attempts: 1, history: [] },
};

describe('an event stream that does not end', () => {
  it('is one attempt, and its events so far are the body', async () => {
    const stream = { parts: [EVENTS], end: 'never' } as const;
    for (const response_type of ['text', 'auto', 'base64'])
      for (const method of ['GET', 'POST'])
        expect(await outcomeOf(stream, { method, response_type }), response_type).toMatchObject({
          ...ENDLESS,
          ...{ body: EVENTS, body_type: 'text' },
        });
    expect(clock.waits).toEqual([]);
  });

  it.each<[name: string, stream: Omit<Stream, 'end'>, body: string | undefined]>([
    ['in several parts', { parts: ['data: 1\n\n', 'data: 2\n', '\n'] }, 'data: 1\n\ndata: 2\n\n'],
    ['within a line', { parts: ['data: 1\n\ndata: 2'] }, 'data: 1\n\n'],
    ['within the first line', { parts: ['data: 1'] }, undefined],
    ['before its first byte', { parts: [] }, undefined],
    ['with a charset', { type: 'Text/Event-Stream ; charset=utf-8', parts: ['a\n'] }, 'a\n'],
    ['with a 201', { status: '201 Created', parts: ['a\n'] }, 'a\n'],
  ])('%s', async (_name, stream, body) => {
    const outcome = await outcomeOf({ ...stream, end: 'never' }, { response_type: 'text' });
    expect(outcome).toMatchObject({ error: 'Timeout', attempts: 1, body: body ?? null });
  });

  it('shows no secret, whole or in part', async () => {
    for (const parts of [
      [`data: ${SECRET}\n`, `data: ${SECRET.slice(0, 12)}`],
      [`data: ${SECRET.slice(0, 10)}`, `${SECRET.slice(10)}\n`],
    ]) {
      const stream = { parts, end: 'never' } as const;
      const outcome = await outcomeOf(stream, { headers, response_type: 'text' });
      expect(outcome).toMatchObject({ body: 'data: REDACTED\n', redactions: 1 });
      expect(JSON.stringify(outcome)).not.toContain(SECRET.slice(0, 8));
    }
  });

  it('fails at once where JSON is asked for, with an excerpt', async () => {
    const time = clock.now();
    for (const [action, stream] of [
      [{}, { parts: [EVENTS], end: 'FIN' }],
      [{ response_schema: {} }, { parts: [EVENTS, EVENTS, EVENTS], end: 'FIN' }],
      [
        { method: 'POST', headers },
        { parts: [`data: ${SECRET}\n\n`, EVENTS], end: 'FIN' },
      ],
      [{ headers }, { parts: [`data: 1\n\ndata: ${SECRET.slice(0, 12)}`, 'a'], end: 'RST' }],
    ] as const) {
      const outcome = await outcomeOf(stream, action);
      expect(outcome).toMatchObject({ error: 'ResponseNotJson', status: 200, attempts: 1 });
      expect(outcome).toMatchObject({ message: textWith('text/event-stream', 'response_type') });
      expect(outcome).toMatchObject({ body: expect.stringMatching(/^(?:event|data): /) });
      expect(JSON.stringify(outcome)).not.toContain(SECRET.slice(0, 8));
    }
    expect(clock.now()).toBe(time);
  });

  it('without an event fails in time where JSON is asked for', async () => {
    const outcome = await outcomeOf({ parts: [], end: 'never' });
    expect(outcome).toMatchObject({ error: 'ResponseNotJson', attempts: 1, history: [] });
  });
});

describe('an event stream that ends', () => {
  it('is its text', async () => {
    for (const response_type of ['text', 'auto'])
      expect(await outcomeOf({ parts: [EVENTS], end: 'FIN' }, { response_type })).toMatchObject({
        ...{ outcome: 'success', body: EVENTS, body_type: 'text', attempts: 1 },
      });
  });

  it('and is compressed, is its text', async () => {
    const more = 'content-encoding: gzip\r\n';
    const stream = { more, parts: [gzipSync(EVENTS)], end: 'FIN' } as const;
    expect(await outcomeOf(stream, { response_type: 'text' })).toMatchObject({ body: EVENTS });
  });

  it('without a byte has no body', async () => {
    const more = 'content-length: 0\r\nconnection: close\r\n';
    for (const method of ['GET', 'HEAD'])
      expect(await outcomeOf({ more, parts: [], end: 'FIN' }, { method })).toMatchObject({
        ...{ outcome: 'success', body: null },
      });
  });

  it('in a broken connection is a failure with its events so far, and is not repeated', async () => {
    const more = 'content-length: 1000\r\n';
    for (const end of ['FIN', 'RST'] as const)
      expect(
        await outcomeOf({ more, parts: [EVENTS], end }, { response_type: 'text' }),
      ).toMatchObject({
        error: 'ConnectFailure',
        ...{ status: 200, attempts: 1, history: [], body: EVENTS },
        message: textWith('accepted the request with status 200', 'broke off'),
      });
  });
});

describe('other streams', () => {
  it('are timeouts as before: of another type, or with a failure status', async () => {
    for (const stream of [
      { type: 'application/x-ndjson' },
      { type: 'text/event-stream-2' },
      { status: '503 Busy' },
      { status: '404 No' },
    ])
      expect(
        await outcomeOf({ ...stream, parts: ['a\n'], end: 'never' }, { response_type: 'text' }),
      ).toMatchObject({ error: 'RetriesExhausted', history: threeRecords('timeout') });
  });
});
