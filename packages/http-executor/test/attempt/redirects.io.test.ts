import { METHODS } from '@gatehouse/contracts';
import { freePort, type Handler, reply, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { startExecutor } from '../support/executor.ts';
import { record, textWith } from '../support/outcomes.ts';

const executor = shared(() => startExecutor({ clock: fakeClock() }));

const STATUSES = [301, 302, 303, 307, 308];

/**
 * Redirects a request if its path and query are a key of `locations`. A key may begin with a
 * method.
 */
const redirecting =
  (status: number, locations: Readonly<Record<string, string>>): Handler =>
  ({ method, url }, response) => {
    const location = locations[`${method} ${url}`] ?? locations[url];
    reply(response, location === undefined ? { body: 'true' } : { status, headers: { location } });
  };

/** Sends an action to `/1`. Returns the outcome and the requests that reached the upstream. */
async function follow(
  handler: Handler,
  action: { method: string; [member: string]: unknown },
  path = '/1',
) {
  await using upstream = await startUpstream(handler);
  const outcome = await executor().outcome({ url: upstream.origin + path, ...action });
  const asked = upstream.requests.map(({ method, url }) => `${method} ${url}`);
  return { outcome, asked, requests: upstream.requests };
}

/** Returns the method after a redirect, or undefined if the redirect is not followed. */
function methodAfter(status: number, method: string): string | undefined {
  if (status === 303) return method === 'HEAD' ? 'HEAD' : 'GET';
  const isClear = status > 303 || method === 'GET' || method === 'HEAD';
  return isClear ? method : undefined;
}

const own = { authorization: 'Bearer abcdef', 'x-own': '1' };

describe('a redirect within the origin', () => {
  it.each(STATUSES)('%i keeps or changes the method, and keeps all headers', async (status) => {
    for (const method of METHODS) {
      const action = { method, headers: own };
      const { outcome, requests } = await follow(redirecting(status, { '/1': '/2' }), action);
      const after = methodAfter(status, method);
      if (after === undefined) continue;
      expect(outcome).toMatchObject({ status: 200, attempts: 1, history: [] });
      expect(requests).toMatchObject([
        { method, url: '/1', headers: own },
        { method: after, url: '/2', headers: own },
      ]);
      const url = expect.stringMatching(/\/2$/);
      expect(outcome).toMatchObject({ redirects: [{ status, method: after, url, dropped: [] }] });
    }
  });

  it.each([301, 302])('%i is followed only after GET and HEAD', async (status) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { outcome, asked } = await follow(redirecting(status, { '/1': '/2' }), { method });
      expect(outcome).toMatchObject({
        ...{ error: 'HttpFailure', status, headers: { location: '/2' }, attempts: 1 },
        message: textWith(`not followed: after a ${status}, some clients repeat a ${method}`),
      });
      expect(outcome).not.toHaveProperty('redirects');
      expect(asked).toEqual([`${method} /1`]);
    }
  });

  it('names the headers that it drops with the body', async () => {
    const action = { method: 'POST', body: {}, headers: own };
    const { outcome } = await follow(redirecting(303, { '/1': '/2' }), action);
    expect(outcome).toMatchObject({ redirects: [{ method: 'GET', dropped: ['content-type'] }] });
  });

  it.each([303, 307, 308])('%i keeps the body if it keeps the method', async (status) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const action = { method, body: { a: 1 } };
      const { requests } = await follow(redirecting(status, { '/1': '/2' }), action);
      const after = methodAfter(status, method);
      const [, second] = requests;
      expect(second).toMatchObject({ method: after, body: after === method ? '{"a":1}' : '' });
      const type = after === method ? 'application/json' : undefined;
      expect(second?.headers['content-type']).toBe(type);
    }
  });

  it('303 keeps a GET and its body', async () => {
    const action = { method: 'GET', body: { a: 1 } };
    const { requests } = await follow(redirecting(303, { '/1': '/2' }), action);
    expect(requests[1]).toMatchObject({ method: 'GET', body: '{"a":1}' });
  });

  it('does not happen with any other status', async () => {
    for (const status of [300, 304, 305, 306, 309]) {
      const { outcome, asked } = await follow(redirecting(status, { '/1': '/2' }), {
        method: 'GET',
      });
      expect(outcome).toMatchObject({ error: 'HttpFailure', status, headers: { location: '/2' } });
      expect(asked).toEqual(['GET /1']);
    }
    const created = await follow(redirecting(201, { '/1': '/2' }), { method: 'POST' });
    expect(created).toMatchObject({ outcome: { status: 201 }, asked: ['POST /1'] });
  });
});

/** `/5` leads to `/4`, and so on to `/0`, which answers. */
const countdown: Handler = ({ url }, response) => {
  const left = Number(url.slice(1));
  reply(
    response,
    left > 0 ? { status: 302, headers: { location: `/${left - 1}` } } : { body: '1' },
  );
};

describe('a chain of redirects', () => {
  it('is followed for up to five hops', async () => {
    for (const hops of [1, 4, 5]) {
      const { outcome, asked } = await follow(countdown, { method: 'GET' }, `/${hops}`);
      expect(outcome).toMatchObject({ outcome: 'success', attempts: 1 });
      expect(asked).toHaveLength(hops + 1);
    }
    const { outcome, asked } = await follow(countdown, { method: 'GET' }, '/6');
    expect(outcome).toMatchObject({
      error: 'HttpFailure',
      message: textWith('there were more than 5 redirects.'),
      status: 302,
      headers: { location: '/0' },
      attempts: 1,
      history: [],
    });
    expect(asked).toHaveLength(6);
  });

  it('starts over after a transient failure', async () => {
    let visits = 0;
    const { outcome, asked } = await follow(
      ({ url }, response) => {
        if (url === '/2') visits += 1;
        const status = url === '/1' ? 302 : visits === 1 ? 503 : 200;
        reply(response, { status, headers: { location: '/2' } });
      },
      { method: 'GET' },
    );
    expect(outcome).toMatchObject({ attempts: 2, history: [record(1, 'status', 200, 503)] });
    expect(asked).toEqual(['GET /1', 'GET /2', 'GET /1', 'GET /2']);
  });

  it('is not repeated if it began with POST', async () => {
    const { outcome, asked } = await follow(
      ({ url }, response) => {
        const status = url === '/1' ? 303 : 503;
        reply(response, { status, headers: { location: '/2' } });
      },
      { method: 'POST', body: {} },
    );
    expect(outcome).toMatchObject({ error: 'HttpFailure', status: 503, attempts: 1 });
    expect(asked).toEqual(['POST /1', 'GET /2']);
  });

  // The upstream that redirected may already have acted on the request. If the message said that
  // nothing was sent, the caller would repeat the request.
  it('reports a sent request if its last hop cannot be reached', async () => {
    const location = `http://127.0.0.1:${await freePort()}/`;
    for (const method of ['POST', 'GET']) {
      const { outcome, asked } = await follow(redirecting(303, { '/1': location }), { method });
      expect(JSON.stringify(outcome)).toContain('ConnectFailure');
      expect(JSON.stringify(outcome)).not.toContain('Nothing was sent');
      expect(asked).toHaveLength(method === 'POST' ? 1 : 3);
    }
  });
});

const CIRCLES: [method: string, status: number, locations: Record<string, string>, ...string[]][] =
  [
    ['POST', 307, { '/1': '/1' }, 'POST /1'],
    ['POST', 308, { '/1': '/1' }, 'POST /1'],
    ['GET', 302, { '/1': '/1' }, 'GET /1'],
    ['PUT', 307, { '/1': '#part' }, 'PUT /1'],
    ['POST', 307, { '/1': '/1?' }, 'POST /1'],
    ['POST', 307, { '/1': '/2/../%2e/1' }, 'POST /1'],
    ['DELETE', 308, { '/1': '/2', '/2': '/1' }, 'DELETE /1', 'DELETE /2'],
    ['PATCH', 307, { '/1': '/2', '/2': '/3', '/3': '/2' }, 'PATCH /1', 'PATCH /2', 'PATCH /3'],
    ['POST', 303, { '/1': '/1' }, 'POST /1', 'GET /1'],
    ['PUT', 303, { '/1': '/1' }, 'PUT /1', 'GET /1'],
    ['HEAD', 303, { '/1': '/1' }, 'HEAD /1'],
  ];

describe('an attempt sends the same method to a URL only once', () => {
  it.each(CIRCLES)('%s %i %j', async (method, status, locations, ...expected) => {
    const { outcome, asked } = await follow(redirecting(status, locations), { method });
    expect(asked).toEqual(expected);
    const [lastMethod = '', lastUrl = ''] = expected.at(-1)?.split(' ') ?? [];
    expect(outcome).toMatchObject({
      error: 'HttpFailure',
      message: textWith(
        status,
        `would loop, because this attempt already sent ${lastMethod} to the URL`,
      ),
      status,
      headers: { location: locations[lastUrl] },
      attempts: 1,
      history: [],
    });
  });

  it.each([
    ['another query', 307, '/1?a', 'POST /1?a'],
    ['another case', 307, '/A', 'POST /A'],
    ['a slash at the end', 307, '/1/', 'POST /1/'],
    ['another method', 303, '/1', 'GET /1'],
  ])('%s makes a different request', async (_name, status, location, second) => {
    const { outcome, asked } = await follow(redirecting(status, { 'POST /1': location }), {
      method: 'POST',
    });
    expect(outcome.outcome).toBe('success');
    expect(asked).toEqual(['POST /1', second]);
  });
});
