import { shared } from '@gatehouse/testing';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { type Documentation, responseOf, type Server } from '../../src/index.ts';
import { accessWith } from '../support/access.ts';
import { exchange } from '../support/bare-exchange.ts';
import { readProblem, startServer } from '../support/server.ts';
import { statusesOf } from '../support/wire.ts';

const documentation: Documentation = {
  title: 'Test',
  description: 'A test.',
  version: '1.2.3',
  license: 'MIT',
  tags: [{ name: 'test', description: 'Tests.' }],
};

const schema = {
  operationId: 'getN',
  tags: ['test'],
  summary: 'Get n',
  description: 'Gets n.',
  response: { 200: responseOf(Type.Object({ n: Type.Literal(1) }), 'N.') },
};

/**
 * Adds a route whose response differs from its documentation, and a route without documentation.
 */
function routes(app: Server): void {
  app.get('/n', { schema }, () => ({ n: 2, more: [undefined, 1e21] }) as never);
  app.get('/hidden', () => 'hidden');
}

const server = shared(() => startServer(routes, { documentation }));

describe('documentation', () => {
  it('exists only if it is configured', async () => {
    await using server = await startServer();
    for (const path of ['/openapi.json', '/docs', '/docs/json']) {
      expect((await fetch(server.url + path)).status).toBe(404);
    }
  });

  it('describes the routes that have an operationId', async () => {
    const response = await fetch(`${server().url}/openapi.json`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const document = JSON.parse(await response.text());
    expect(document.info).toMatchObject({ title: 'Test', version: '1.2.3' });
    expect(Object.keys(document.paths)).toContain('/n');
    expect(Object.keys(document.paths)).not.toContain('/hidden');
  });

  it('cannot give two schemas the same name', async () => {
    const called = (member: string) => ({
      ...schema,
      response: {
        200: responseOf(Type.Object({ [member]: Type.String() }, { title: 'Same' }), 'It.'),
      },
    });
    const routesOf =
      (...members: string[]) =>
      (app: Server) => {
        for (const [n, member] of members.entries())
          app.get(`/${n}`, { schema: { ...called(member), operationId: `get${n}` } }, () => ({}));
      };
    await using clear = await startServer(routesOf('a', 'a'), { documentation });
    await using unclear = await startServer(routesOf('a', 'b'), { documentation });
    const statuses = [clear, unclear].map(({ url }) => fetch(`${url}/openapi.json`));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 500]);
    expect(JSON.stringify(unclear.lines())).toContain('have the title Same');
  });

  it('lists the allowed methods of its files', async () => {
    for (const path of ['/docs', '/docs/', '/docs/json', '/docs/static/swagger-ui.css']) {
      const response = await fetch(server().url + path, { method: 'POST' });
      expect([path, response.status, response.headers.get('allow')]).toEqual([
        path,
        405,
        'GET, HEAD',
      ]);
    }
  });

  it('does not change responses', async () => {
    const response = await fetch(`${server().url}/n`);
    expect(await response.text()).toBe('{"n":2,"more":[null,1e+21]}');
  });

  it('lists its page, but not the files of the page, among the paths of the service', async () => {
    const { detail } = await readProblem(await fetch(`${server().url}/nothing`));
    expect(detail).toMatch(/\/docs\b/);
    expect(detail).not.toMatch(/\/docs\/|\/problems\//);
  });
});

describe('the page', () => {
  it.each(['/docs', '/docs/'])('%s may load only files of the service', async (path) => {
    const response = await fetch(server().url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    expect(await response.text()).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
});

const TRICKS = ['/../../x', '/%2e%2e/%2e%2e/x', '/..%2f..%2fx', '/a%00b', '/.env', '/nope'];

const CONDITIONS = [
  ...['range: bytes=99999999-', 'range: bytes=abc', 'range: bytes=5-1', 'if-match: "x"'],
  ...[
    'if-unmodified-since: Mon, 01 Jan 1990 00:00:00 GMT',
    'if-range: x\r\nrange: bytes=99999999-',
  ],
];

describe('a file of the page', () => {
  const bare = async (port: number, path: string, header = 'x: y') =>
    await exchange(
      port,
      `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${header}\r\n\r\n`,
    );

  it('is served, and other paths are not', async () => {
    const document = await (await fetch(`${server().url}/docs`)).text();
    const files = [...document.matchAll(/(?:src|href)="\.?(\/[^"]+)"/g)].map(([, path]) => path);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files)
      expect(statusesOf(await bare(server().port, `${file}`)), file).toEqual(['200']);
    for (const trick of TRICKS) {
      const answer = await bare(server().port, `/docs/static${trick}`);
      expect(statusesOf(answer), trick).toEqual(['404']);
      expect(answer, trick).toContain('"code":"NotFound"');
    }
    expect(
      server()
        .lines()
        .filter(({ level }) => level === 'error'),
    ).toEqual([]);
  });

  it('never causes an internal error in a conditional request', async () => {
    for (const condition of CONDITIONS) {
      const answer = await bare(server().port, '/docs/static/swagger-ui.css', condition);
      expect(statusesOf(answer)[0], condition).toMatch(/^[24]/);
    }
    expect(
      server()
        .lines()
        .filter(({ level }) => level === 'error'),
    ).toEqual([]);
  });
});

const documentOf = async (url: string) =>
  JSON.parse(await (await fetch(`${url}/openapi.json`)).text());

describe('with tokens', () => {
  const access = accessWith('t');

  it('the document is the same as without tokens', async () => {
    await using closed = await startServer(routes, { documentation, access });
    expect(await documentOf(closed.url)).toEqual(await documentOf(server().url));
  });

  it('operations document the token and the 401 if they need a token', async () => {
    await using server = await startServer(routes, { documentation, access });
    const { components, security, paths } = await documentOf(server.url);
    expect(components.securitySchemes).toMatchObject({ bearer: { scheme: 'bearer' } });
    expect(security).toEqual([{}, { bearer: [] }]);
    const found = Object.entries<{ get: { responses: object; security?: [] } }>(paths);
    const asked = found.map(async ([path, { get }]) => {
      const { status } = await fetch(server.url + path.replace('{code}', 'not-found'));
      expect([path, '401' in get.responses, get.security]).toEqual([
        ...[path, status === 401],
        status === 401 ? undefined : [],
      ]);
    });
    await Promise.all(asked);
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/n', '/metrics', '/healthz']));
  });
});

it('documents `Overloaded` for every operation except probes', async () => {
  const { paths } = await documentOf(server().url);
  const examplesOf = (path: string) =>
    paths[path].get.responses[503]?.content['application/problem+json'].examples ?? {};
  const spared = Object.keys(paths).filter((path) => !('Overloaded' in examplesOf(path)));
  expect(spared.sort()).toEqual(['/healthz', '/metrics', '/readyz']);
});
