import { METHODS } from '@gatehouse/contracts';
import { freePort, type Handler, reply, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { record } from './support/outcomes.ts';

const executor = shared(() => startExecutor({ clock: fakeClock() }));

const STATUSES = [301, 302, 303, 307, 308];

/** `/from` redirects to `/to`, which answers. */
const redirecting =
  (status: number): Handler =>
  ({ url }, response) =>
    reply(
      response,
      url === '/from' ? { status, headers: { location: '/to' } } : { body: { done: true } },
    );

/** As browsers do: 303 becomes GET, and so does POST on 301 and 302. */
function methodAfter(status: number, method: string): string {
  if (status === 303) return method === 'HEAD' ? 'HEAD' : 'GET';
  return status < 303 && method === 'POST' ? 'GET' : method;
}

const CASES = STATUSES.flatMap((status) =>
  METHODS.map((method) => ({ status, method, after: methodAfter(status, method) })),
);

describe('a redirect within the origin', () => {
  it.each(CASES)('$status after $method: $after', async ({ status, method, after }) => {
    await using upstream = await startUpstream(redirecting(status));
    const headers = { authorization: 'Bearer abcdef', 'x-own': '1' };
    const outcome = await executor().success({ method, url: `${upstream.origin}/from`, headers });
    expect(outcome).toMatchObject({ status: 200, attempts: 1, history: [] });
    expect(upstream.requests).toMatchObject([
      { method, url: '/from', headers },
      { method: after, url: '/to', headers },
    ]);
  });

  it.each(
    CASES.filter(({ method }) => method === 'POST' || method === 'PUT' || method === 'PATCH'),
  )('$status after $method with a body', async ({ status, method, after }) => {
    await using upstream = await startUpstream(redirecting(status));
    await executor().success({ method, url: `${upstream.origin}/from`, body: { a: 1 } });
    const [, second] = upstream.requests;
    expect(second).toMatchObject({ method: after, body: after === method ? '{"a":1}' : '' });
    expect(second?.headers['content-type']).toBe(after === method ? 'application/json' : undefined);
  });
});

describe('a redirect to a port on which nothing listens', () => {
  // The upstream that redirected has acted on the request: to say that nothing was sent
  // would have it made twice.
  it.each(['POST', 'GET'])(
    'after %s is not a request of which nothing was sent',
    async (method) => {
      const location = `http://127.0.0.1:${await freePort()}/`;
      await using upstream = await startUpstream((_request, response) =>
        reply(response, { status: 303, headers: { location } }),
      );
      const failure = await executor().failure({ method, url: upstream.origin });
      expect(JSON.stringify(failure)).toContain('ConnectFailure');
      expect(JSON.stringify(failure)).not.toContain('Nothing was sent');
      expect(upstream.requests).toHaveLength(method === 'POST' ? 1 : 3);
    },
  );
});

describe('a status that is no redirect', () => {
  it.each([300, 304, 305, 306])('%i is not followed', async (status) => {
    await using upstream = await startUpstream({ status, headers: { location: '/to' } });
    expect(await executor().failure({ method: 'GET', url: upstream.origin })).toMatchObject({
      error: 'HttpFailure',
      status,
      headers: { location: '/to' },
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it('201 is not followed', async () => {
    await using upstream = await startUpstream({ status: 201, headers: { location: '/to' } });
    expect(await executor().success({ method: 'POST', url: upstream.origin })).toMatchObject({
      status: 201,
    });
    expect(upstream.requests).toHaveLength(1);
  });
});

/** `/5` leads to `/4`, and so on to `/0`, which answers. */
const countdown: Handler = ({ url }, response) => {
  const left = Number(url.slice(1));
  reply(
    response,
    left > 0 ? { status: 302, headers: { location: `/${left - 1}` } } : { body: 'true' },
  );
};

describe('a chain of redirects', () => {
  it.each([1, 4, 5])('%i hops are followed', async (hops) => {
    await using upstream = await startUpstream(countdown);
    expect(
      await executor().success({ method: 'GET', url: `${upstream.origin}/${hops}` }),
    ).toMatchObject({
      attempts: 1,
    });
    expect(upstream.requests).toHaveLength(hops + 1);
  });

  it('the sixth hop is not', async () => {
    await using upstream = await startUpstream(countdown);
    expect(await executor().failure({ method: 'GET', url: `${upstream.origin}/6` })).toMatchObject({
      error: 'HttpFailure',
      message: expect.stringMatching(/5/),
      status: 302,
      headers: { location: '/0' },
      attempts: 1,
      history: [],
    });
    expect(upstream.requests).toHaveLength(6);
  });
});

describe('a redirect to trouble', () => {
  it('a transient failure there is a failure of the attempt, which starts over', async () => {
    let visits = 0;
    await using upstream = await startUpstream(({ url }, response) => {
      if (url === '/from') return reply(response, { status: 302, headers: { location: '/to' } });
      visits += 1;
      reply(response, { status: visits === 1 ? 503 : 200 });
    });
    expect(
      await executor().success({ method: 'GET', url: `${upstream.origin}/from` }),
    ).toMatchObject({
      attempts: 2,
      history: [record(1, 'status', 200, 503)],
    });
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/from', '/to', '/from', '/to']);
  });

  it('POST that became GET is still sent once', async () => {
    await using upstream = await startUpstream(({ url }, response) => {
      reply(
        response,
        url === '/from' ? { status: 303, headers: { location: '/to' } } : { status: 503 },
      );
    });
    const outcome = await executor().failure({
      method: 'POST',
      url: `${upstream.origin}/from`,
      body: {},
    });
    expect(outcome).toMatchObject({ error: 'HttpFailure', status: 503, attempts: 1 });
    expect(upstream.requests).toHaveLength(2);
  });
});
