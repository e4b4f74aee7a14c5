import type { Socket } from 'node:net';
import { shared, startRawUpstream } from '@gatehouse/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { textWith, threeRecords } from './support/outcomes.ts';

const ATTEMPT_MS = 400;
const clock = fakeClock();
const executor = shared(() => startExecutor({ clock, attemptTimeoutMs: ATTEMPT_MS }));
beforeEach(() => clock.restart());

const EVENTS = 'event: price\ndata: {"usd":1}\n\ndata: é\r\n\r\n';

type End = 'never' | 'open' | 'FIN' | 'RST';

interface Stream {
  readonly status?: string;
  readonly type?: string;
  readonly more?: string;
  readonly end: End;
}

/**
 * Sends events without a content length, and then ends the stream. `never` leaves the stream open
 * until the attempt times out.
 */
function send(socket: Socket, { status = '200 OK', type = 'text/event-stream', ...rest }: Stream) {
  const head = `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\n${rest.more ?? ''}\r\n`;
  const finish = {
    never: () => clock.pass(ATTEMPT_MS),
    open: () => {},
    FIN: () => socket.end(),
    RST: () => socket.resetAndDestroy(),
  };
  socket.write(head + EVENTS, () => setImmediate(setImmediate, finish[rest.end]));
}

async function outcomeOf(stream: Stream, action: object = {}) {
  await using upstream = await startRawUpstream({ asked: (socket) => send(socket, stream) });
  const outcome = await executor().outcome({ method: 'GET', url: upstream.origin, ...action });
  expect(upstream.requests).toBe(outcome.attempts);
  return outcome;
}

describe('an event stream', () => {
  it('fails at once when JSON is expected, whether or not it ends', async () => {
    const time = clock.now();
    for (const type of ['text/event-stream', 'Text/Event-Stream ; charset=utf-8'])
      for (const method of ['GET', 'POST'])
        expect(await outcomeOf({ type, end: 'FIN' }, { method })).toMatchObject({
          error: 'ResponseNotJson',
          message: textWith('accepted the request with status 200', 'text/event-stream'),
          ...{ status: 200, attempts: 1, history: [], body: EVENTS },
        });
    expect(clock.now()).toBe(time);
  });

  it.each([
    ['stays open', {}, EVENTS],
    ['is compressed', { more: 'content-encoding: gzip\r\n' }, undefined],
  ])('that %s comes with its beginning', async (_name, stream, body) => {
    const ending = { end: 'open', ...stream } as const;
    const outcome = await outcomeOf(ending, { method: 'POST' });
    expect(outcome).toMatchObject({ outcome: 'failure', error: 'ResponseNotJson', attempts: 1 });
    expect(outcome.body).toBe(body);
  });

  it('shows no part of a secret at the end of its beginning', async () => {
    const headers = { 'x-api-key': 'usd":1}-and-more' };
    const outcome = await outcomeOf({ end: 'open' }, { method: 'POST', headers });
    expect(outcome).toMatchObject({ error: 'ResponseNotJson', body: expect.any(String) });
    expect(outcome.body).not.toContain('usd');
  });

  it('is returned as text if it ends', async () => {
    for (const response_type of ['text', 'auto'])
      expect(await outcomeOf({ end: 'FIN' }, { response_type })).toMatchObject({
        ...{ outcome: 'success', body: EVENTS, body_type: 'text', attempts: 1 },
      });
  });

  it('gets one attempt if it does not end in time or breaks off', async () => {
    const broken = { more: 'content-length: 1000\r\n', end: 'RST' } as const;
    for (const [error, stream] of [
      ['Timeout', { end: 'never' }],
      ['ConnectFailure', broken],
    ] as const)
      expect(await outcomeOf(stream, { response_type: 'text' }), error).toMatchObject({
        ...{ outcome: 'failure', error, attempts: 1, history: [] },
      });
    expect(clock.waits).toEqual([]);
  });

  it('has no body in the answer to HEAD', async () => {
    expect(await outcomeOf({ end: 'FIN' }, { method: 'HEAD' })).toMatchObject({ body: null });
  });
});

describe('another stream', () => {
  it('is retried if it does not end in time', async () => {
    for (const stream of [{ type: 'application/x-ndjson' }, { status: '503 Busy' }])
      expect(await outcomeOf({ ...stream, end: 'never' }, { response_type: 'text' })).toMatchObject(
        {
          ...{ error: 'RetriesExhausted', history: threeRecords('timeout') },
        },
      );
  });
});
