import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { requestLogger } from '../../src/index.ts';
import { accessWith } from '../support/access.ts';
import { readProblem, startServer } from '../support/server.ts';

describe('health', () => {
  it.each(['/healthz', '/readyz'])('%s', async (path) => {
    await using server = await startServer();
    const response = await fetch(server.url + path);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok' });
  });

  it('logs the error of a handler whose caller has disconnected', async () => {
    const entered = Promise.withResolvers<void>();
    await using server = await startServer((app) => {
      app.get('/breaks', async ({ raw }) => {
        entered.resolve();
        await once(raw.socket, 'close');
        throw new Error('broken');
      });
    });
    const leaving = new AbortController();
    const call = fetch(`${server.url}/breaks`, { signal: leaving.signal });
    await entered.promise;
    leaving.abort();
    await expect(call).rejects.toThrow();
    await expect
      .poll(() => server.lines().find(({ msg }) => msg === 'request failed'))
      .toMatchObject({ level: 'error', err: { message: 'broken' } });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('problems_total{code="InternalError"} 0\n');
  });

  it('is good while draining, readiness is not, and a request in flight is answered', async () => {
    const release = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    let drain = () => {};
    await using server = await startServer((app) => {
      drain = () => app.draining.abort();
      app.get('/slow', async () => {
        entered.resolve();
        await release.promise;
        return { done: true };
      });
    });
    const running = fetch(`${server.url}/slow`);
    await entered.promise;
    drain();
    const [alive, ready] = [
      await fetch(`${server.url}/healthz`),
      await fetch(`${server.url}/readyz`),
    ];
    expect([alive.status, ready.status]).toEqual([200, 503]);
    const closed = server[Symbol.asyncDispose]();
    release.resolve();
    const response = await running;
    expect(response.headers.get('connection')).toBe('close');
    expect(await response.json()).toEqual({ done: true });
    await closed;
  });
});

it('every log line of a request has its id and its caller', async () => {
  const access = accessWith('planner-1:secret');
  await using server = await startServer(
    (app) =>
      app.get('/caller', (request) => {
        requestLogger(request).warn('a line of its own');
        return { caller: request.caller };
      }),
    { access },
  );
  const headers = { authorization: 'Bearer secret', 'x-request-id': 'r-1' };
  const response = await fetch(`${server.url}/caller`, { headers });
  expect(await response.json()).toEqual({ caller: 'planner-1' });
  const line = () => server.lines().find(({ level }) => level === 'warn');
  expect(line()).toMatchObject({ request_id: 'r-1', caller: 'planner-1' });
  expect(server.log).not.toContain('secret');
});

const ID: [name: string, id: string][] = [
  ['one character', 'a'],
  ['128 characters', 'x'.repeat(128)],
  ['all visible characters', '!"#$%&\'()*+,-./0:;<=>?@A[\\]^_`a{|}~'],
];
const NO_ID: [name: string, id: string][] = [
  ['129 characters', 'x'.repeat(129)],
  ['a space', 'a b'],
  ['a tab', 'a\tb'],
  ['Latin-1', 'é'],
];

describe('the request id', () => {
  it.each(ID)('is echoed in the header, in problems and in the log: %s', async (_name, id) => {
    await using server = await startServer();
    const headers = { 'x-request-id': id };
    const fine = await fetch(`${server.url}/healthz`, { headers });
    expect(fine.headers.get('x-request-id')).toBe(id);
    expect(await readProblem(await fetch(`${server.url}/nowhere`, { headers }))).toMatchObject({
      request_id: id,
    });
    expect(server.lines().filter(({ request_id }) => request_id === id)).toHaveLength(2);
  });

  it.each(NO_ID)('is replaced if invalid: %s', async (_name, id) => {
    await using server = await startServer();
    const response = await fetch(`${server.url}/healthz`, { headers: { 'x-request-id': id } });
    expect(response.headers.get('x-request-id')).toMatch(/^[\x21-\x7e]{1,128}$/);
    expect(response.headers.get('x-request-id')).not.toBe(id);
  });

  it('is a new UUID for each request in every server', async () => {
    await using first = await startServer();
    await using second = await startServer();
    const urls = [first, first, second, second].map(({ url }) => `${url}/healthz`);
    const answers = await Promise.all(urls.map((url) => fetch(url)));
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(4);
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });
});

describe('the request log', () => {
  it('has one line per request, without the query and the headers', async () => {
    await using server = await startServer();
    await fetch(`${server.url}/healthz?token=s3cr3t`, {
      headers: { authorization: 'Bearer s3cr3t' },
    });
    await fetch(`${server.url}/nowhere?token=s3cr3t`, { method: 'POST', body: 's3cr3t' });
    await expect
      .poll(() => server.lines().filter(({ path }) => path !== undefined))
      .toMatchObject([
        { method: 'GET', path: '/healthz', status: 200, duration_ms: expect.any(Number) },
        { method: 'POST', path: '/nowhere', status: 404 },
      ]);
    expect(server.log).not.toContain('s3cr3t');
  });

  it('also has a line about a request with a malformed URL', async () => {
    await using server = await startServer();
    const response = await fetch(`${server.url}/%zz?token=s3cr3t`, {
      headers: { 'x-request-id': 'unread' },
    });
    expect(await readProblem(response)).toMatchObject({ code: 'MalformedUrl' });
    const line = { request_id: 'unread', method: 'GET', path: '/%zz', status: 400, msg: 'request' };
    await expect
      .poll(() => server.lines().filter(({ request_id }) => request_id === 'unread'))
      .toMatchObject([line]);
    expect(server.log).not.toContain('s3cr3t');
  });
});
