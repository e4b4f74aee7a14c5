import { PROBLEM_CODES, PROBLEMS, problemType } from '@gatehouse/contracts';
import { shared } from '@gatehouse/testing';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { invalidReply, ProblemReply, type Server, strictValidator } from '../../src/index.ts';
import { readProblem, startServer } from '../support/server.ts';

const Body = Type.Object({ n: Type.Integer() }, { additionalProperties: false });

function routes(app: Server): void {
  app.post('/echo', { schema: { body: Body } }, (request) => request.body);
  app.post(
    '/action',
    {
      schema: { body: Body },
      validatorCompiler: strictValidator('InvalidAction'),
    },
    (request) => request.body,
  );
  app.get('/broken', () => {
    throw new Error('the password is hunter2');
  });
  app.get('/thrown', () => {
    throw 'a string, hunter2';
  });
  for (const code of PROBLEM_CODES) {
    app.get(`/raise/${code}`, () => {
      throw new ProblemReply(code, 'Do this.');
    });
  }
  app.get('/many', () => {
    throw invalidReply('InvalidRequest', violations(30));
  });
}

const violations = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ pointer: `/${n}`, message: 'is wrong' }));
const json = { 'content-type': 'application/json' };
const post = (body: string): RequestInit => ({ method: 'POST', headers: json, body });

const MAPPING: [name: string, path: string, init: RequestInit, status: number, code: string][] = [
  ['malformed JSON', '/echo', post('{'), 400, 'MalformedJson'],
  ['an empty body', '/echo', post(''), 400, 'MalformedJson'],
  ['__proto__', '/echo', post('{"__proto__":1}'), 400, 'MalformedJson'],
  ['constructor.prototype', '/echo', post('{"constructor":{"prototype":1}}'), 400, 'MalformedJson'],
  ['a body that breaks the schema', '/echo', post('{"n":"1"}'), 400, 'InvalidRequest'],
  ['a bad body on a route with its own code', '/action', post('{}'), 400, 'InvalidAction'],
  ['no body', '/echo', { method: 'POST' }, 400, 'InvalidRequest'],
  ['a repeated member', '/echo', post('{"n":1,"n":2}'), 400, 'MalformedJson'],
  ['text', '/echo', { method: 'POST', body: 'n=1' }, 415, 'UnsupportedMediaType'],
  ['a body above the limit', '/echo', post(`{"n":${'1'.repeat(995)}}`), 413, 'PayloadTooLarge'],
  ['an unknown path', '/nowhere', {}, 404, 'NotFound'],
  ['a trailing slash', '/echo/', { method: 'POST' }, 404, 'NotFound'],
  ['a path in upper case', '/ECHO', post('{"n":1}'), 404, 'NotFound'],
  ['a wrong method', '/echo', { method: 'GET' }, 405, 'MethodNotAllowed'],
  ['a wrong method with a query', '/echo?a=b', { method: 'PUT' }, 405, 'MethodNotAllowed'],
  ['a broken percent escape', '/%zz', {}, 400, 'MalformedUrl'],
  ['an unforeseen error', '/broken', {}, 500, 'InternalError'],
  ['a thrown value that is not an error', '/thrown', {}, 500, 'InternalError'],
];

const server = shared(() => startServer(routes));

it('an unknown path gets the list of known paths', async () => {
  const { detail } = await readProblem(await fetch(`${server().url}/ecoh`));
  expect(detail).toMatch(/^Use one of the paths of this service: \S+, .+\.$/);
  expect(detail).toContain(' /echo,');
});

describe('a failed request gets a problem', () => {
  it.each(MAPPING)('%s', async (_name, path, init, status, code) => {
    const response = await fetch(server().url + path, init);
    const problem = await readProblem(response);
    expect(problem).toMatchObject({
      status,
      code,
      type: problemType(code as 'NotFound'),
      title: expect.stringMatching(/./),
      detail: expect.stringMatching(/^[A-Z].*\.$/),
    });
    expect(response.headers.get('allow')).toBe(status === 405 ? 'POST' : null);
    expect(JSON.stringify(problem)).not.toMatch(/hunter2|node_modules|at .*\.ts/);
  });

  it.each(PROBLEM_CODES)('%s has a status and a title', async (code) => {
    const problem = await readProblem(await fetch(`${server().url}/raise/${code}`));
    const { status, title } = PROBLEMS[code];
    expect(problem).toEqual({
      type: problemType(code),
      title,
      status,
      detail: 'Do this.',
      code,
      request_id: problem.request_id,
    });
  });

  it('lists at most 20 violations', async () => {
    const problem = await readProblem(await fetch(`${server().url}/many`));
    expect(problem.errors).toEqual(violations(20));
  });

  it('accepts a body of exactly the size limit', async () => {
    const body = `{"n":1}${' '.repeat(993)}`;
    const response = await fetch(`${server().url}/echo`, post(body));
    expect(response.status).toBe(200);
  });

  it('does not convert or drop values', async () => {
    const response = await fetch(`${server().url}/echo`, post('{"n":"1","extra":true}'));
    const problem = await readProblem(response);
    expect(problem.errors?.map(({ pointer }) => pointer).sort()).toEqual(['/extra', '/n']);
  });

  it('logs an unexpected error with its cause and the request id', async () => {
    const { request_id } = await readProblem(await fetch(`${server().url}/broken`));
    expect(server().lines()).toContainEqual(
      expect.objectContaining({
        request_id,
        err: expect.objectContaining({ message: 'the password is hunter2' }),
      }),
    );
  });
});

describe('the detail of an invalid body', () => {
  it.each([
    [[{ pointer: '/a', message: 'must be b' }], 'Correct `/a`: it must be b.'],
    [[{ pointer: '', message: 'must be an object' }], 'Correct the body: it must be an object.'],
    [violations(2), 'Correct `/0`: it is wrong; `errors` lists 1 more.'],
    [violations(3), 'Correct `/0`: it is wrong; `errors` lists 2 more.'],
  ])('%j', (list, detail) => {
    const { message, code, violations: kept } = invalidReply('InvalidRequest', list);
    expect({ message, code, kept }).toEqual({
      message: detail,
      code: 'InvalidRequest',
      kept: list,
    });
  });
});
