import { METHODS } from '@gatehouse/contracts';
import {
  type Handler,
  reply,
  selfSigned,
  shared,
  startUpstream,
  type Upstream,
} from '@gatehouse/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { LOCAL_NAMES, startExecutor } from '../support/executor.ts';
import { textWith } from '../support/outcomes.ts';

const certificate = await selfSigned('api.test', 'localhost');
/** Server whose port the executor believes to be its own. */
const self = await startUpstream();
afterAll(() => self[Symbol.asyncDispose]());
const executor = shared(() =>
  startExecutor({ ...LOCAL_NAMES, upstreamCa: certificate.cert, ownPort: () => self.port }),
);

/**
 * Starts an upstream that redirects each path to its location. PORT in a location is replaced by
 * the port of this upstream.
 */
const startRedirecting = (
  locations: Readonly<Record<string, string>>,
  status = 302,
): Promise<Upstream> => {
  const handler: Handler = ({ url, headers }, response) => {
    const { port } = new URL(`http://${headers.host}`);
    const location = locations[url]?.replace('PORT', port);
    const moved = { status, headers: { location }, body: { moved: 1 } };
    reply(response, location === undefined ? { body: { arrived: true } } : moved);
  };
  return startUpstream(handler);
};

const CREDENTIALS = {
  authorization: 'Bearer abcdef',
  cookie: 'session=abcdef',
  'x-api-key': 'abcdef',
  'x-custom-secret-thing': 'abcdef',
};
const from = (upstream: Upstream) => ({
  method: 'GET',
  url: `http://api.test:${upstream.port}/from`,
  headers: CREDENTIALS,
});
const expectNoneOf = (names: readonly string[], headers: object | undefined) => {
  expect(headers).toBeDefined();
  for (const name of names) expect(headers).not.toHaveProperty(name);
};

describe('a redirect to another origin', () => {
  const OTHERS = ['http://other.test:PORT/to', 'http://localhost:PORT/to'];

  it.each(OTHERS)('%s is followed without credentials', async (target) => {
    await using upstream = await startRedirecting({ '/from': target });
    const headers = { ...CREDENTIALS, accept: 'application/vnd.api+json;charset=utf-32' };
    const { body } = await executor().success({ ...from(upstream), headers });
    expect(body).toEqual({ arrived: true });
    const [first, second] = upstream.requests;
    expect(first?.headers).toMatchObject(headers);
    expectNoneOf(Object.keys(CREDENTIALS), second?.headers);
    expect(second?.headers).toMatchObject({
      host: new URL(target.replace('PORT', `${upstream.port}`)).host,
      accept: 'application/vnd.api+json',
      'user-agent': first?.headers['user-agent'],
    });
  });

  it('at another port is followed without credentials', async () => {
    await using target = await startUpstream();
    const location = `http://api.test:${target.port}/to`;
    await using upstream = await startRedirecting({ '/from': location });
    await executor().success(from(upstream));
    expectNoneOf(Object.keys(CREDENTIALS), target.requests[0]?.headers);
  });

  it('is told in a failure, with the credentials that the new origin did not get', async () => {
    await using target = await startUpstream({ status: 401 });
    const location = `http://api.test:${target.port}/to`;
    await using upstream = await startRedirecting({ '/from': location });
    const dropped = Object.keys(CREDENTIALS);
    expect(await executor().failure(from(upstream))).toMatchObject({
      error: 'HttpFailure',
      status: 401,
      redirects: [{ status: 302, method: 'GET', url: location, dropped }],
    });
  });

  it('and back does not restore the credentials', async () => {
    await using upstream = await startRedirecting({
      '/from': 'http://other.test:PORT/2',
      '/2': 'http://api.test:PORT/3',
    });
    await executor().success(from(upstream));
    const sent = upstream.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(['Bearer abcdef', undefined, undefined]);
  });

  it('is not followed if it would send the body', async () => {
    const bodies = METHODS.filter((method) => method !== 'GET' && method !== 'HEAD');
    for (const method of bodies)
      for (const status of [307, 308]) {
        const target = 'http://other.test:PORT/to';
        await using upstream = await startRedirecting({ '/from': target }, status);
        const failure = await executor().failure({ ...from(upstream), method, body: { a: 1 } });
        expect(failure).toMatchObject({
          error: 'HttpFailure',
          status,
          message: textWith('send the body to another origin'),
          headers: { location: target.replace('PORT', `${upstream.port}`) },
        });
        expect(upstream.requests).toHaveLength(1);
      }
  });

  it('with 303 turns POST into GET without the body, and says what was dropped', async () => {
    await using upstream = await startRedirecting({ '/from': 'http://other.test:PORT/to' }, 303);
    const action = { ...from(upstream), method: 'POST', body: { a: 1 } };
    const { redirects } = await executor().success(action);
    const url = `http://other.test:${upstream.port}/to`;
    const dropped = expect.arrayContaining([...Object.keys(CREDENTIALS), 'content-type']);
    expect(redirects).toEqual([{ status: 303, method: 'GET', url, dropped }]);
    const [, second] = upstream.requests;
    expect(second).toMatchObject({ method: 'GET', body: '' });
    const framing = ['content-type', 'content-length'];
    expectNoneOf([...Object.keys(CREDENTIALS), ...framing], second?.headers);
  });
});

const GUARDED: [name: string, location: string, ...message: string[]][] = [
  ['a host off the allowlist', 'http://unlisted.test:PORT/to', 'unlisted.test', 'allowlist'],
  ['an address off the allowlist', 'http://127.0.0.2:PORT/to', '127.0.0.2', 'allowlist'],
  ['a metadata address', 'http://169.254.169.254/latest/', '169.254.169.254', 'allowlist'],
  [
    'a name that leads to a private address',
    'http://inside.test:PORT/',
    'inside.test',
    'not public',
  ],
  ['the executor itself', `http://localhost:${self.port}/execute`, 'executor itself'],
  ['the executor itself by its address', `http://127.0.0.1:${self.port}/`, 'executor itself'],
  ['the executor itself by a name', `http://api.test:${self.port}/`, 'executor itself'],
];

describe('a redirect out of the sandbox', () => {
  it.each(GUARDED)('to %s returns the 3xx', async (_name, target, ...message) => {
    for (const [method, status] of [
      ['GET', 302],
      ['POST', 307],
    ] as const) {
      await using upstream = await startRedirecting({ '/from': target }, status);
      expect(await executor().failure({ ...from(upstream), method })).toMatchObject({
        error: 'HttpFailure',
        message: textWith(status, ...message),
        status,
        headers: { location: target.replace('PORT', `${upstream.port}`) },
        body: { moved: 1 },
        attempts: 1,
        history: [],
      });
      expect(upstream).toMatchObject({ connections: 1, requests: [{ url: '/from' }] });
      expect(self.requests).toEqual([]);
    }
  });

  it('at the second hop returns the 3xx of that hop', async () => {
    await using second = await startRedirecting({ '/second': 'http://inside.test/' });
    const location = `http://other.test:${second.port}/second`;
    await using first = await startRedirecting({ '/from': location });
    const outcome = await executor().failure(from(first));
    expect(outcome).toMatchObject({ status: 302, headers: { location: 'http://inside.test/' } });
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });
});

describe('a redirect between schemes', () => {
  it('from https to http is not followed', async () => {
    await using plain = await startUpstream();
    const moved = { status: 302, headers: { location: `http://localhost:${plain.port}/` } };
    await using upstream = await startUpstream(moved, certificate);
    expect(await executor().failure({ method: 'GET', url: upstream.origin })).toMatchObject({
      error: 'HttpFailure',
      message: textWith('would switch from https to http'),
      ...moved,
    });
    expect(plain.connections).toBe(0);
  });

  it('from http to https is followed, and changes the origin', async () => {
    await using upstream = await startUpstream({}, certificate);
    await using plain = await startUpstream({
      status: 308,
      headers: { location: upstream.origin },
    });
    const url = plain.origin.replace('127.0.0.1', 'localhost');
    await executor().success({ method: 'GET', url, headers: CREDENTIALS });
    expectNoneOf(Object.keys(CREDENTIALS), upstream.requests[0]?.headers);
  });
});
