import { type Handler, reply, shared, startUpstream, type Upstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';

const executor = shared(() => startExecutor({ clock: fakeClock() }));

/** What the upstream was asked, in short. */
const asked = (upstream: Upstream) =>
  upstream.requests.map(({ method, url }) => `${method} ${url}`);

/** Redirects by path and query, also by method where the key begins with one. */
const routes =
  (status: number, locations: Readonly<Record<string, string>>): Handler =>
  ({ method, url }, response) => {
    const location = locations[`${method} ${url}`] ?? locations[url];
    reply(
      response,
      location === undefined ? { body: { done: true } } : { status, headers: { location } },
    );
  };

type Circle = [
  name: string,
  method: string,
  status: number,
  locations: Record<string, string>,
  asked: string[],
];

const CIRCLES: Circle[] = [
  ['to itself', 'POST', 307, { '/1': '/1' }, ['POST /1']],
  ['to itself', 'POST', 308, { '/1': '/1' }, ['POST /1']],
  ['to itself', 'GET', 302, { '/1': '/1' }, ['GET /1']],
  ['to itself by a fragment', 'PUT', 307, { '/1': '#part' }, ['PUT /1']],
  ['to itself by an empty query', 'POST', 307, { '/1': '/1?' }, ['POST /1']],
  ['to itself by a detour', 'POST', 307, { '/1': '/2/../%2e/1' }, ['POST /1']],
  ['of two', 'DELETE', 308, { '/1': '/2', '/2': '/1' }, ['DELETE /1', 'DELETE /2']],
  [
    'of two, entered later',
    'PATCH',
    307,
    { '/1': '/2', '/2': '/3', '/3': '/2' },
    ['PATCH /1', 'PATCH /2', 'PATCH /3'],
  ],
  ['to itself, as GET', 'POST', 303, { '/1': '/1' }, ['POST /1', 'GET /1']],
  ['to itself, as GET', 'PUT', 303, { '/1': '/1' }, ['PUT /1', 'GET /1']],
  ['to itself, as GET', 'POST', 302, { '/1': '/1' }, ['POST /1', 'GET /1']],
  ['to itself', 'HEAD', 303, { '/1': '/1' }, ['HEAD /1']],
];

describe('no URL is asked twice with the same method in one attempt', () => {
  it.each(CIRCLES)('a circle %s: %s %i', async (_name, method, status, locations, expected) => {
    await using upstream = await startUpstream(routes(status, locations));
    const failure = await executor().failure({ method, url: `${upstream.origin}/1` });
    expect(asked(upstream)).toEqual(expected);
    const [last] = expected.slice(-1);
    expect(failure).toMatchObject({
      error: 'HttpFailure',
      message: textWith(status, `leads back to where ${last?.split(' ')[0]} was sent already`),
      status,
      headers: { location: locations[last?.split(' ')[1] ?? ''] },
      attempts: 1,
      history: [],
    });
  });

  it.each([
    ['another query', '/1?a', ['POST /1', 'POST /1?a']],
    ['another case', '/A', ['POST /1', 'POST /A']],
    ['a slash at the end', '/1/', ['POST /1', 'POST /1/']],
  ])('%s is another URL', async (_name, location, expected) => {
    await using upstream = await startUpstream(routes(307, { '/1': location }));
    await executor().success({ method: 'POST', url: `${upstream.origin}/1` });
    expect(asked(upstream)).toEqual(expected);
  });

  it('another method is another question', async () => {
    await using upstream = await startUpstream(routes(303, { 'POST /1': '/1' }));
    await executor().success({ method: 'POST', url: `${upstream.origin}/1` });
    expect(asked(upstream)).toEqual(['POST /1', 'GET /1']);
  });

  it('each attempt begins anew', async () => {
    let visits = 0;
    await using upstream = await startUpstream(({ url }, response) => {
      if (url === '/2') visits += 1;
      const status = url === '/2' ? (visits === 1 ? 503 : 200) : 307;
      reply(response, { status, headers: { location: '/2' } });
    });
    await executor().success({ method: 'GET', url: `${upstream.origin}/1` });
    expect(asked(upstream)).toEqual(['GET /1', 'GET /2', 'GET /1', 'GET /2']);
  });
});
