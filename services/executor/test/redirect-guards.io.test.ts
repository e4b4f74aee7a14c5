import { reply, selfSigned, shared, startUpstream, type Upstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { textWith } from './support/outcomes.ts';
import { startSandboxed } from './support/sandboxed.ts';

/** Redirects everything but `/to` to that path under another name of the same server. */
const startRedirecting = (target: string, status = 302): Promise<Upstream> =>
  startUpstream(({ url }, response) => {
    const { port } = new URL(`http://${response.req.headers.host}`);
    const location = target.replace('PORT', port);
    reply(
      response,
      url === '/to'
        ? { body: { arrived: true } }
        : { status, headers: { location }, body: { moved: 1 } },
    );
  });

const certificate = await selfSigned('api.test', 'localhost');
const executor = shared(() => startSandboxed({ connect: { ca: certificate.cert } }));

const CREDENTIALS = {
  authorization: 'Bearer abcdef',
  cookie: 'session=abcdef',
  'x-api-key': 'abcdef',
  'x-custom-secret-thing': 'abcdef',
};

describe('a redirect to another origin', () => {
  it.each([
    ['another host', 'http://other.test:PORT/to'],
    ['the same host by another name', 'http://localhost:PORT/to'],
  ])('%s: followed without the credentials', async (_name, target) => {
    await using upstream = await startRedirecting(target);
    const url = `http://api.test:${upstream.port}/from`;
    const headers = { ...CREDENTIALS, accept: 'application/vnd.api+json' };
    expect(await executor().success({ method: 'GET', url, headers })).toMatchObject({
      body: { arrived: true },
    });
    const [first, second] = upstream.requests;
    expect(first?.headers).toMatchObject(headers);
    for (const name of Object.keys(CREDENTIALS)) expect(second?.headers).not.toHaveProperty(name);
    expect(second?.headers).toMatchObject({
      host: new URL(target.replace('PORT', `${upstream.port}`)).host,
    });
    expect(second?.headers.accept).toBe('application/vnd.api+json');
  });

  it('another port is another origin', async () => {
    await using target = await startUpstream();
    await using upstream = await startRedirecting(`http://api.test:${target.port}/to`);
    await executor().success({
      method: 'GET',
      url: `http://api.test:${upstream.port}/from`,
      headers: CREDENTIALS,
    });
    expect(target.requests).toHaveLength(1);
    for (const name of Object.keys(CREDENTIALS))
      expect(target.requests[0]?.headers).not.toHaveProperty(name);
  });

  it('credentials do not come back with a redirect to the first origin', async () => {
    await using upstream = await startUpstream(({ url }, response) => {
      const { port } = new URL(`http://${response.req.headers.host}`);
      const next: Record<string, string> = {
        '/1': 'http://other.test:PORT/2',
        '/2': 'http://api.test:PORT/3',
      };
      const location = next[url]?.replace('PORT', port);
      reply(response, location === undefined ? {} : { status: 302, headers: { location } });
    });
    await executor().success({
      method: 'GET',
      url: `http://api.test:${upstream.port}/1`,
      headers: CREDENTIALS,
    });
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer abcdef',
      undefined,
      undefined,
    ]);
  });

  // contract: only credentials are dropped; the executor's own user agent is none.
  it('keeps the user agent', async () => {
    await using upstream = await startRedirecting('http://other.test:PORT/to');
    await executor().success({ method: 'GET', url: `http://api.test:${upstream.port}/from` });
    const [first, second] = upstream.requests.map(({ headers }) => headers['user-agent']);
    expect(second).toBe(first);
  });
});

const BODY_CASES = [
  ...(['PUT', 'PATCH', 'DELETE'] as const).flatMap((method) =>
    [301, 302, 307, 308].map((status) => ({ method, status })),
  ),
  { method: 'POST', status: 307 },
  { method: 'POST', status: 308 },
];

describe('a body and another origin', () => {
  it.each(BODY_CASES)('$method $status: the body is not replayed', async ({ method, status }) => {
    await using upstream = await startRedirecting('http://other.test:PORT/to', status);
    const outcome = await executor().failure({
      method,
      url: `http://api.test:${upstream.port}/from`,
      body: { a: 1 },
    });
    expect(outcome).toMatchObject({
      error: 'HttpFailure',
      status,
      headers: { location: `http://other.test:${upstream.port}/to` },
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it.each([301, 302, 303])('POST %i arrives there as GET, without it', async (status) => {
    await using upstream = await startRedirecting('http://other.test:PORT/to', status);
    const url = `http://api.test:${upstream.port}/from`;
    await executor().success({ method: 'POST', url, headers: CREDENTIALS, body: { a: 1 } });
    const [, second] = upstream.requests;
    expect(second).toMatchObject({ method: 'GET', body: '' });
    for (const name of [...Object.keys(CREDENTIALS), 'content-type', 'content-length']) {
      expect(second?.headers).not.toHaveProperty(name);
    }
  });
});

const GUARDED: [name: string, location: string, message: string[]][] = [
  ['a host off the allowlist', 'http://unlisted.test:PORT/to', ['unlisted.test', 'allowlist']],
  ['an address off the allowlist', 'http://127.0.0.2:PORT/to', ['127.0.0.2', 'allowlist']],
  [
    'a metadata address',
    'http://169.254.169.254/latest/meta-data/',
    ['169.254.169.254', 'allowlist'],
  ],
  [
    'a host that leads to a private address',
    'http://inside.test:PORT/to',
    ['inside.test', 'private'],
  ],
];

describe('a redirect out of the sandbox', () => {
  it.each(GUARDED)(
    'to %s: the 3xx comes back with its location',
    async (_name, target, message) => {
      await using upstream = await startRedirecting(target);
      const outcome = await executor().failure({
        method: 'GET',
        url: `http://api.test:${upstream.port}/from`,
      });
      expect(outcome).toMatchObject({
        error: 'HttpFailure',
        message: textWith(302, ...message),
        status: 302,
        headers: { location: target.replace('PORT', `${upstream.port}`) },
        body: { moved: 1 },
        attempts: 1,
        history: [],
      });
      expect(upstream).toMatchObject({ connections: 1, requests: [{ url: '/from' }] });
    },
  );

  it('POST to a guarded address: likewise', async () => {
    await using upstream = await startRedirecting('http://inside.test:PORT/to');
    const outcome = await executor().failure({
      method: 'POST',
      url: `http://api.test:${upstream.port}/from`,
      body: {},
    });
    expect(outcome).toMatchObject({ error: 'HttpFailure', status: 302 });
  });

  it.each(['127.0.0.1', 'localhost', 'api.test'])(
    'to the executor itself at %s: likewise',
    async (host) => {
      const location = `http://${host}:${new URL(executor().url).port}/execute`;
      await using upstream = await startUpstream({ status: 303, headers: { location } });
      const failure = await executor().failure({ method: 'POST', url: upstream.origin, body: {} });
      const message = textWith(303, 'executor itself');
      expect(failure).toMatchObject({
        error: 'HttpFailure',
        message,
        status: 303,
        headers: { location },
      });
    },
  );

  it('at the second hop: the 3xx of that hop comes back', async () => {
    await using second = await startRedirecting('http://inside.test/');
    await using first = await startRedirecting(`http://other.test:${second.port}/second`);
    const outcome = await executor().failure({
      method: 'GET',
      url: `http://api.test:${first.port}/from`,
    });
    expect(outcome).toMatchObject({ status: 302, headers: { location: 'http://inside.test/' } });
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });
});

describe('a redirect between schemes', () => {
  it('from https to http is not followed', async () => {
    await using plain = await startUpstream();
    await using upstream = await startUpstream(
      { status: 302, headers: { location: plain.origin } },
      certificate,
    );
    expect(await executor().failure({ method: 'GET', url: upstream.origin })).toMatchObject({
      error: 'HttpFailure',
      message: textWith('https', 'http'),
      status: 302,
      headers: { location: plain.origin },
    });
    expect(plain.connections).toBe(0);
  });

  it('from http to https is, and counts as another origin', async () => {
    await using upstream = await startUpstream({}, certificate);
    await using plain = await startUpstream({
      status: 308,
      headers: { location: upstream.origin },
    });
    await executor().success({ method: 'GET', url: plain.origin, headers: CREDENTIALS });
    expect(upstream.requests[0]?.headers).not.toHaveProperty('authorization');
  });
});
