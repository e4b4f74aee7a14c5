import { afterAll, describe, expect, it } from 'vitest';
import { exchange } from './support/bare-socket.ts';
import { postCheck, startPolicy } from './support/policy-server.ts';
import { problemIn, received } from './support/problems.ts';

const server = await startPolicy();
afterAll(() => server[Symbol.asyncDispose]());

const ask = (path: string, init: RequestInit = {}) => received(fetch(`${server.url}${path}`, init));
const get = (target: string) =>
  exchange(
    server.port,
    `GET ${target} HTTP/1.1\r\nhost: x\r\nx-request-id: r-1\r\nconnection: close\r\n\r\n`,
  );

describe('health', () => {
  it('is ok', async () => {
    const { status, headers, text } = await ask('/healthz');
    expect({ status, text }).toEqual({ status: 200, text: '{"status":"ok"}' });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('does not depend on the query', async () => {
    expect((await ask('/healthz?from=compose')).status).toBe(200);
  });

  it('includes being ready', async () => {
    expect((await ask('/readyz')).status).toBe(200);
  });
});

describe('a path that is not there is a 404', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/policy'],
    ['POST', '/policy/check/'],
    ['POST', '/policy/check/x'],
    ['POST', '/Policy/Check'],
    ['POST', '/check'],
    ['DELETE', '/nothing?q=1'],
    ['GET', '/problems/'],
    ['GET', '/problems/unheard-of'],
    ['GET', '/constructor'],
    ['GET', '/__proto__'],
  ])('%s %s', async (method, path) => {
    problemIn(await ask(path, { method }), { status: 404, code: 'NotFound' });
  });
});

describe('a method that a path does not take is a 405 with Allow', () => {
  it.each([
    ['GET', '/policy/check', 'POST'],
    ['GET', '/policy/check?x=1', 'POST'],
    ['PUT', '/policy/check', 'POST'],
    ['PATCH', '/policy/check', 'POST'],
    ['DELETE', '/policy/check', 'POST'],
    ['OPTIONS', '/policy/check', 'POST'],
    ['POST', '/healthz', 'GET'],
    ['DELETE', '/healthz', 'GET'],
    ['POST', '/readyz', 'GET'],
  ])('%s %s: %s', async (method, path, allowed) => {
    const answer = await ask(path, { method });
    problemIn(answer, { status: 405, code: 'MethodNotAllowed' });
    const methods = answer.headers.get('allow')?.split(', ') ?? [];
    expect(methods).toContain(allowed);
    expect(methods).not.toContain(method);
  });

  it('also when it takes bodies', async () => {
    const init = { method: 'PUT', body: '{}', headers: { 'content-type': 'application/json' } };
    problemIn(await ask('/policy/check', init), { status: 405, code: 'MethodNotAllowed' });
  });
});

describe('a body does not hide that the path or the method is wrong', () => {
  it.each([
    ['of another type', 'text/plain', 'x'],
    ['that is not JSON', 'application/json', '{'],
    ['that is too large', 'application/json', ' '.repeat(70_000)],
  ])('a body %s', async (_name, type, body) => {
    const init = { body, headers: { 'content-type': type } };
    problemIn(await ask('/nothing', { ...init, method: 'POST' }), {
      status: 404,
      code: 'NotFound',
    });
    problemIn(await ask('/policy/check', { ...init, method: 'PUT' }), {
      status: 405,
      code: 'MethodNotAllowed',
    });
  });
});

describe('a URL that cannot be read is a 400', () => {
  it.each(['/%', '/%zz', '/policy/check%', '/healthz/%E0%A4%A'])('%s', async (target) => {
    const answer = await get(target);
    problemIn(answer, { status: 400, code: 'MalformedUrl' });
    expect(answer.headers.get('x-request-id')).toBe('r-1');
  });
});

describe('the type of a problem is a page', () => {
  it.each([
    ['InvalidRequest', () => postCheck(server.url, '[]')],
    ['MalformedJson', () => postCheck(server.url, '{')],
    ['UnsupportedMediaType', () => postCheck(server.url, '{}', { 'content-type': 'text/plain' })],
    ['PayloadTooLarge', () => postCheck(server.url, ' '.repeat(70_000))],
    ['NotFound', () => fetch(`${server.url}/nothing`)],
    ['MethodNotAllowed', () => fetch(`${server.url}/policy/check`)],
    ['MalformedUrl', () => get('/%')],
    ['MalformedRequest', () => exchange(server.port, 'x\r\n\r\n')],
    ['HeadersTooLarge', () => get(`/${'x'.repeat(100_000)}`)],
  ] as const)('%s', async (code, provoke) => {
    const answer = await provoke();
    const { type } = JSON.parse(answer instanceof Response ? await answer.text() : answer.text);
    expect(type).toMatch(/^\/problems\/[a-z]+(-[a-z]+)*$/);
    const page = await ask(type);
    expect(page.status).toBe(200);
    expect(page.text).toContain(code);
  });
});
