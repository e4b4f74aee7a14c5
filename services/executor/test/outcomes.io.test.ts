import { freePort, reply, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { record, textWith, threeRecords } from './support/outcomes.ts';
import { startRawUpstream } from './support/raw-upstream.ts';

const executor = shared(() => startExecutor({ clock: fakeClock() }));

/** An upstream that answers every request with exactly this head and body. */
const exact = (statusLine: string, headers: readonly string[], body: string) =>
  startRawUpstream({
    asked: (socket) => socket.write([`HTTP/1.1 ${statusLine}`, ...headers, '', body].join('\r\n')),
  });

describe('the shape of an outcome', () => {
  it('success: status, headers, parsed body, attempts and an empty history', async () => {
    await using upstream = await exact(
      '200 OK',
      ['Content-Type: application/json', 'Content-Length: 9'],
      '{"id":42}',
    );
    expect(await executor().outcome({ method: 'GET', url: upstream.origin })).toEqual({
      outcome: 'success',
      status: 200,
      headers: { 'content-type': 'application/json', 'content-length': '9' },
      body: { id: 42 },
      attempts: 1,
      history: [],
    });
  });

  it('a repeated header is an array, a single one is a string', async () => {
    const headers = ['Content-Length: 2', 'X-Tag: one', 'Link: <a>', 'x-tag: two', 'X-TAG: three'];
    await using upstream = await exact('200 OK', headers, '{}');
    expect(await executor().success({ method: 'GET', url: upstream.origin })).toMatchObject({
      headers: { 'content-length': '2', link: '<a>', 'x-tag': ['one', 'two', 'three'] },
    });
  });

  it('a header named like an Object member stays a header', async () => {
    const named = [
      '__proto__: a',
      'constructor: b',
      'toString: c',
      '__proto__: d',
      'hasOwnProperty: e',
      'ToString: f',
    ];
    await using upstream = await exact('200 OK', ['Content-Length: 2', ...named], '{}');
    const { headers } = await executor().success({ method: 'GET', url: upstream.origin });
    expect(Object.entries(headers)).toEqual([
      ['content-length', '2'],
      ['__proto__', ['a', 'd']],
      ['constructor', 'b'],
      ['tostring', ['c', 'f']],
      ['hasownproperty', 'e'],
    ]);
  });

  it('HttpFailure: the status, the headers and the JSON body', async () => {
    await using upstream = await exact('404 Not Found', ['Content-Length: 16'], '{"why":"absent"}');
    expect(await executor().outcome({ method: 'GET', url: upstream.origin })).toEqual({
      outcome: 'failure',
      error: 'HttpFailure',
      message: textWith(404),
      attempts: 1,
      history: [],
      status: 404,
      headers: { 'content-length': '16' },
      body: { why: 'absent' },
    });
  });

  it('HttpFailure with a body that is not JSON: the text, shortened', async () => {
    const page = `<h1>Gone</h1>${'x'.repeat(100_000)}`;
    await using upstream = await startUpstream({
      status: 410,
      headers: { 'content-type': 'text/html' },
      body: page,
    });
    const { error, body } = await executor().failure({ method: 'GET', url: upstream.origin });
    expect({ error, body }).toEqual({
      error: 'HttpFailure',
      body: expect.stringMatching(/^<h1>Gone<\/h1>x/),
    });
    expect(String(body).length).toBeLessThan(10_000);
  });

  it('RetriesExhausted: attempts, history and the last upstream error', async () => {
    await using upstream = await exact('503 Busy', ['Content-Length: 13'], '{"busy":true}');
    expect(await executor().outcome({ method: 'GET', url: upstream.origin })).toEqual({
      outcome: 'failure',
      error: 'RetriesExhausted',
      message: textWith(3, 503),
      attempts: 3,
      history: threeRecords('status', 503),
      last_error: {
        error: 'HttpFailure',
        message: textWith(503),
        status: 503,
        headers: { 'content-length': '13' },
        body: { busy: true },
      },
    });
    expect(upstream.requests).toBe(3);
  });

  it('a success after failures keeps their history', async () => {
    await using upstream = await startUpstream([
      { status: 500 },
      { status: 429 },
      { body: { ok: true } },
    ]);
    expect(await executor().outcome({ method: 'GET', url: upstream.origin })).toEqual({
      outcome: 'success',
      status: 200,
      headers: expect.objectContaining({ 'content-type': 'application/json' }),
      body: { ok: true },
      attempts: 3,
      history: [record(1, 'status', 200, 500), record(2, 'status', 400, 429)],
    });
  });

  it('a deterministic failure after a transient one keeps the history', async () => {
    await using upstream = await startUpstream([{ status: 500 }, { status: 404 }]);
    expect(await executor().failure({ method: 'GET', url: upstream.origin })).toMatchObject({
      error: 'HttpFailure',
      status: 404,
      attempts: 2,
      history: [record(1, 'status', 200, 500)],
    });
  });

  it('SchemaValidationFailed: the violations, and a message that joins them', async () => {
    await using upstream = await exact('200 OK', ['Content-Length: 16'], '{"id":"a","n":1}');
    const response_schema = { properties: { id: { type: 'integer' }, n: { minimum: 5 } } };
    const failure = await executor().failure({
      method: 'GET',
      url: upstream.origin,
      response_schema,
    });
    expect(failure).toEqual({
      outcome: 'failure',
      error: 'SchemaValidationFailed',
      message: failure.violations?.map(({ message }) => message).join('; '),
      attempts: 1,
      history: [],
      status: 200,
      headers: { 'content-length': '16' },
      body: { id: 'a', n: 1 },
      violations: [
        { path: '/id', pointer: '/id', message: textWith('integer') },
        { path: '/n', pointer: '/n', message: textWith('5') },
      ],
    });
  });

  it('ResponseNotJson: a short excerpt of the body', async () => {
    const page = `<html>${'x'.repeat(5_000)}`;
    await using upstream = await exact('200 OK', [`Content-Length: ${page.length}`], page);
    const failure = await executor().failure({ method: 'GET', url: upstream.origin });
    expect(failure).toEqual({
      outcome: 'failure',
      error: 'ResponseNotJson',
      message: textWith('JSON'),
      attempts: 1,
      history: [],
      status: 200,
      headers: { 'content-length': '5006' },
      body: expect.stringMatching(/^<html>x+/),
    });
    expect(String(failure.body).length).toBeLessThan(1_000);
  });

  it('ResponseTooLarge', async () => {
    await using upstream = await exact('200 OK', ['Content-Length: 5'], '[1,2]');
    await using own = await startExecutor({ env: { HTTP_EXECUTOR_MAX_RESPONSE_BYTES: '4' } });
    expect(await own.outcome({ method: 'GET', url: upstream.origin })).toEqual({
      outcome: 'failure',
      error: 'ResponseTooLarge',
      message: textWith('large'),
      attempts: 1,
      history: [],
      status: 200,
      headers: { 'content-length': '5' },
    });
  });

  it('ConnectFailure', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    expect(await executor().outcome({ method: 'POST', url })).toEqual({
      outcome: 'failure',
      error: 'ConnectFailure',
      message: textWith(new URL(url).host, 'refused'),
      attempts: 1,
      history: [record(1, 'connect', 0)],
    });
  });

  it('Timeout', async () => {
    await using upstream = await startUpstream(() => {});
    await using own = await startExecutor({ env: { HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: '250' } });
    expect(await own.outcome({ method: 'POST', url: upstream.origin })).toEqual({
      outcome: 'failure',
      error: 'Timeout',
      message: textWith(new URL(upstream.origin).host, '250 ms'),
      attempts: 1,
      history: [record(1, 'timeout', 0)],
    });
  });

  it('RequestFailed', async () => {
    await using upstream = await exact('not a status', [], '');
    expect(await executor().outcome({ method: 'GET', url: upstream.origin })).toEqual({
      outcome: 'failure',
      error: 'RequestFailed',
      message: textWith(new URL(upstream.origin).host),
      attempts: 1,
      history: [],
    });
    expect(upstream.requests).toBe(1);
  });
});

const AT_ONCE = 60;

describe('executions at the same time', () => {
  it('do not get in each other’s way', async () => {
    const waiting: (() => void)[] = [];
    await using upstream = await startUpstream(({ url, headers }, response) => {
      waiting.push(() => reply(response, { body: { url, key: headers['x-api-key'] } }));
      if (waiting.length === AT_ONCE) for (const answer of waiting.splice(0)) answer();
    });
    const numbers = Array.from({ length: AT_ONCE }, (_, index) => index);
    const action = (number: number) => ({
      method: number % 2 === 0 ? 'GET' : 'POST',
      url: `${upstream.origin}/${number}`,
      headers: number % 3 === 0 ? { 'x-api-key': `secret-key-${number}` } : {},
    });
    const outcomes = await Promise.all(numbers.map((number) => executor().success(action(number))));
    expect(outcomes.map(({ body }) => body)).toEqual(
      numbers.map((number) => ({
        url: `/${number}`,
        ...(number % 3 === 0 ? { key: 'REDACTED' } : {}),
      })),
    );
    expect(upstream.requests).toHaveLength(AT_ONCE);
  });
});
