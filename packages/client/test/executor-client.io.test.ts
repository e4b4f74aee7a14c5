import { type Handler, type Script, selfSigned, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import {
  type CallOptions,
  createExecutorClient,
  NoAnswerError,
  ProblemError,
} from '../src/index.ts';

const ACTION = { method: 'POST', url: 'http://a.example/' };
const SUCCESS = { outcome: 'success', status: 200, headers: {}, body: 1, attempts: 1, history: [] };
const FAILURE = { outcome: 'failure', error: 'Timeout', message: 'm', attempts: 1, history: [] };
const cutOff: Handler = (_request, response) => response.socket?.destroy();
const busy = {
  ...{ type: '/problems/x', title: 'x', status: 503, detail: 'd', code: 'NotReady' },
  request_id: 'r',
};

const FAULTS: readonly [string, Script, string][] = [
  ['cuts the connection', cutOff, 'unreachable'],
  ['is busy', { status: 503, headers: { 'retry-after': '0' }, body: busy }, 'NotReady'],
  [
    'is behind a proxy with problems of its own',
    { status: 503, body: { ...busy, code: 'UpstreamUnavailable' } },
    'failed',
  ],
  ['is behind a proxy that fails', { status: 502 }, 'failed'],
  ['gives no outcome', { body: {} }, 'unusable'],
  ['gives an unknown outcome', { body: { ...SUCCESS, outcome: 'partial' } }, 'unusable'],
  ['gives a success without a body', { body: { ...SUCCESS, body: undefined } }, 'unusable'],
  ['gives an unknown failure', { body: { ...FAILURE, error: 'Gremlins' } }, 'unusable'],
  ['gives an outcome with another status', { status: 201, body: SUCCESS }, 'unusable'],
  ['gives an outcome as a problem', { status: 400, body: SUCCESS }, 'unusable'],
];

it('an outcome may lack its body only if it says so', async () => {
  const stored = { ...SUCCESS, body: undefined, body_omitted: true };
  const headers = { 'idempotent-replayed': 'true' };
  await using upstream = await startUpstream({ headers, body: stored });
  await using executor = createExecutorClient({ url: upstream.origin });
  const { body: _, ...outcome } = stored;
  expect(await executor.execute(ACTION)).toEqual({ ...outcome, replayed: true });
});

describe('an execution', () => {
  it('is sent once, and an error says that the action may have been executed', async () => {
    for (const [what, script, reason] of FAULTS) {
      await using upstream = await startUpstream(script);
      await using executor = createExecutorClient({ url: upstream.origin });
      const error = await executor.execute(ACTION).catch((thrown: unknown) => thrown);
      const seen =
        error instanceof ProblemError
          ? error.problem.code
          : error instanceof NoAnswerError && error.maybeReceived && error.reason;
      expect([what, seen, upstream.requests.length]).toEqual([what, reason, 1]);
    }
  });

  it('did not arrive if the certificate of the service is not trusted', async () => {
    await using upstream = await startUpstream({}, await selfSigned('127.0.0.1'));
    await using executor = createExecutorClient({ url: upstream.origin });
    await expect(executor.execute(ACTION)).rejects.toMatchObject({ maybeReceived: false });
  });

  it('sends the token, request id and trace context, even to a URL with a path', async () => {
    await using upstream = await startUpstream({ body: SUCCESS });
    const url = `${upstream.origin}/behind/a/proxy/`;
    await using executor = createExecutorClient({ url, token: 't0ken' });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await executor.execute(ACTION, { requestId: 'r-1', traceparent, tracestate: 'a=b' });
    for (let call = 0; call < 8; call++) await executor.execute(ACTION);
    const [first, second] = upstream.requests;
    expect(first).toMatchObject({
      url: '/behind/a/proxy/execute',
      body: JSON.stringify(ACTION),
      headers: {
        authorization: 'Bearer t0ken',
        'x-request-id': 'r-1',
        traceparent,
        tracestate: 'a=b',
      },
    });
    expect(second?.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
    // Allow a second connection, because the first connection may still be receiving a response.
    expect(upstream.connections).toBeLessThan(3);
  });

  it('is not sent if the call is invalid, and the error says what to change', async () => {
    await using upstream = await startUpstream({ body: SUCCESS });
    await using executor = createExecutorClient({ url: upstream.origin });
    const given = new Error('enough');
    const round: unknown[] = [];
    round.push(round);
    const cases: readonly (readonly [CallOptions, string, string, unknown?])[] = [
      ...['', 'a b', 'é', 'a\nb', 'x'.repeat(129)].map(
        (requestId) => [{ requestId }, 'unsendable', '`requestId` must be 1 to 128 '] as const,
      ),
      ...['a\nb', '€'].flatMap((text) => [
        [{ traceparent: text }, 'unsendable', 'in header content ["traceparent"]'] as const,
        [{ tracestate: text }, 'unsendable', 'in header content ["tracestate"]'] as const,
      ]),
      [{ timeoutMs: 0 }, 'unsendable', '`timeoutMs` must be above 0 and '],
      [{}, 'unsendable', 'circular', round],
      [{}, 'unsendable', '`/body/n~1a/1` must be a value that JSON can', { 'n/a': [1, NaN] }],
      [{ signal: AbortSignal.abort(given) }, 'aborted', 'the request had already been cancelled'],
    ];
    for (const [options, reason, says, body] of cases) {
      const error = await executor.execute({ ...ACTION, body }, options).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(NoAnswerError);
      expect([options, error]).toMatchObject([options, { reason, maybeReceived: false }]);
      expect(error.message).toContain(`The executor at ${upstream.origin} was not called`);
      expect(error.message).toContain(says);
      expect(error.message).toMatch(/\. Nothing was sent\.$/);
    }
    for (const action of [undefined, null, [], 'GET'] as unknown as (typeof ACTION)[])
      await expect(executor.execute(action)).rejects.toMatchObject({
        ...{ reason: 'unsendable', message: expect.stringContaining('argument must be an object') },
      });
    await executor.execute(ACTION, { requestId: 'x'.repeat(128), timeoutMs: 2 ** 31 - 1 });
    expect(upstream.requests).toHaveLength(1);
  });

  it('requires a valid URL, token and time limit', () => {
    const ms = [Infinity, 2 ** 31, NaN, -1, 0, '5000' as unknown as number];
    for (const timeoutMs of ms)
      expect(() => createExecutorClient({ url: 'http://a.example', timeoutMs })).toThrow(
        `\`timeoutMs\` must be above 0 and at most 2147483647 milliseconds, but is \`${timeoutMs}\`.`,
      );
    const urls = [
      'localhost:8092',
      'ftp://a.example',
      'http://a:b@a.example',
      'http://a.example?x',
    ];
    const tokens = ['a b', ''].map((token) => ({ url: 'http://a.example', token }));
    for (const options of [...urls.map((url) => ({ url })), ...tokens])
      expect(() => createExecutorClient(options)).toThrow(TypeError);
  });
});

it('a client may be closed more than once, and then sends nothing', async () => {
  await using upstream = await startUpstream({ body: { status: 'ok' } });
  const client = createExecutorClient({ url: upstream.origin });
  await client.health();
  await Promise.all([client.close(), client.close()]);
  await client.close();
  await expect(client.health()).rejects.toMatchObject({
    ...{ reason: 'unsendable', message: expect.stringMatching(/is closed.* Nothing was sent\.$/) },
  });
});
