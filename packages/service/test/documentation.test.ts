import { Type } from '@sinclair/typebox';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { type Documentation, serveDocumentation } from '../src/documentation/documentation.ts';
import type { Server } from '../src/index.ts';
import { readProblem, startServer } from './support/server.ts';

const documentation: Documentation = {
  title: 'Test',
  description: 'A test.',
  version: '1.2.3',
  license: 'MIT',
  tags: [{ name: 'test', description: 'Tests.' }],
  operations: {
    '/n': {
      operationId: 'getN',
      tag: 'test',
      summary: 'Get n',
      description: 'Gets n.',
      answers: [{ description: 'N.', schema: Type.Object({ n: Type.Literal(1) }) }],
    },
  },
};

/** Answers otherwise than its documentation says. */
function routes(app: Server): void {
  app.get('/n', () => ({ n: 2, more: [undefined, 1e21] }));
  app.get('/hidden', () => 'hidden');
}

const start = () => startServer(routes, { documentation });

describe('documentation', () => {
  it('is only there where it is given', async () => {
    await using server = await startServer();
    for (const path of ['/openapi.json', '/docs', '/docs/json']) {
      expect((await fetch(server.url + path)).status).toBe(404);
    }
  });

  it('describes the routes that have an operation', async () => {
    await using server = await start();
    const response = await fetch(`${server.url}/openapi.json`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const document = JSON.parse(await response.text());
    expect(document.info).toMatchObject({ title: 'Test', version: '1.2.3' });
    expect(Object.keys(document.paths)).toContain('/n');
    expect(Object.keys(document.paths)).not.toContain('/hidden');
  });

  it('does not touch what is sent', async () => {
    await using server = await start();
    const response = await fetch(`${server.url}/n`);
    expect(await response.text()).toBe('{"n":2,"more":[null,1e+21]}');
  });

  it('lists its page, and not what the page loads, among the paths of the service', async () => {
    await using server = await start();
    const { detail } = await readProblem(await fetch(`${server.url}/nothing`));
    expect(detail).toMatch(/\/docs\b/);
    expect(detail).not.toMatch(/\/docs\/|\/problems\//);
  });
});

describe('the page', () => {
  it.each(['/docs', '/docs/'])('%s may load what is here alone', async (path) => {
    await using server = await start();
    const response = await fetch(server.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    expect(await response.text()).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  it('has no files but its own', async () => {
    await using server = await start();
    for (const path of ['/docs/static/nope', '/docs/static/..%2fpackage.json', '/docs/nope']) {
      expect(await readProblem(await fetch(server.url + path)), path).toMatchObject({ code: 'NotFound' });
    }
  });
});

describe('with tokens', () => {
  it.each([true, false])('%s: operations show what they ask for', async (authenticated) => {
    await using app = Fastify();
    serveDocumentation(app, documentation, authenticated);
    app.get('/n', () => ({ n: 1 }));
    app.get('/healthz', () => ({ status: 'ok' }));
    const document = (await app.inject('/openapi.json')).json();
    expect(document.security).toEqual(authenticated ? [{ bearer: [] }] : []);
    expect(document.components.securitySchemes?.bearer.scheme).toBe(authenticated ? 'bearer' : undefined);
    expect('401' in document.paths['/n'].get.responses).toBe(authenticated);
    expect('401' in document.paths['/healthz'].get.responses).toBe(false);
    expect(document.paths['/healthz'].get.security).toEqual([]);
  });
});
