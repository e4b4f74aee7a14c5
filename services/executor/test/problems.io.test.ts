import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { readProblem, startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';
import { loopback } from './support/resolver.ts';

/** An action that would reach the upstream, but for what the case changes. */
type Change = (origin: string) => Record<string, unknown>;

const REFUSED: [name: string, change: Change, status: number, code: string, pointers?: string[]][] =
  [
    ['no method', () => ({ method: undefined }), 400, 'InvalidAction', ['/method']],
    ['a null method', () => ({ method: null }), 400, 'InvalidAction', ['/method']],
    ['a method of another kind', () => ({ method: 7 }), 400, 'InvalidAction', ['/method']],
    ['an unknown method', () => ({ method: 'BREW' }), 400, 'InvalidAction', ['/method']],
    ['TRACE', () => ({ method: 'TRACE' }), 400, 'InvalidAction', ['/method']],
    ['CONNECT', () => ({ method: 'CONNECT' }), 400, 'InvalidAction', ['/method']],
    ['a method with a space', () => ({ method: ' GET' }), 400, 'InvalidAction', ['/method']],
    ['a method with a line break', () => ({ method: 'GET\n' }), 400, 'InvalidAction', ['/method']],
    ['a method with a dotless i', () => ({ method: 'optıons' }), 400, 'InvalidAction', ['/method']],
    ['no url', () => ({ url: undefined }), 400, 'InvalidAction', ['/url']],
    ['an empty url', () => ({ url: '' }), 400, 'InvalidAction', ['/url']],
    ['a relative url', () => ({ url: '/path' }), 400, 'InvalidAction', ['/url']],
    [
      'a url without scheme',
      (origin) => ({ url: origin.replace('http:', '') }),
      400,
      'InvalidAction',
      ['/url'],
    ],
    [
      'a host alone',
      (origin) => ({ url: origin.replace('http://', '') }),
      400,
      'InvalidAction',
      ['/url'],
    ],
    ['ftp', (origin) => ({ url: origin.replace('http', 'ftp') }), 400, 'InvalidAction', ['/url']],
    ['ws', (origin) => ({ url: origin.replace('http', 'ws') }), 400, 'InvalidAction', ['/url']],
    ['file', () => ({ url: 'file:///etc/passwd' }), 400, 'InvalidAction', ['/url']],
    ['data', () => ({ url: 'data:application/json,{}' }), 400, 'InvalidAction', ['/url']],
    ['a url of no host', () => ({ url: 'http://' }), 400, 'InvalidAction', ['/url']],
    [
      'a port out of range',
      () => ({ url: 'http://127.0.0.1:65536/' }),
      400,
      'InvalidAction',
      ['/url'],
    ],
    [
      'user and password',
      (origin) => ({ url: origin.replace('//', '//me:pw@') }),
      400,
      'InvalidAction',
      ['/url'],
    ],
    [
      'a user alone',
      (origin) => ({ url: origin.replace('//', '//me@') }),
      400,
      'InvalidAction',
      ['/url'],
    ],
    [
      'a password alone',
      (origin) => ({ url: origin.replace('//', '//:pw@') }),
      400,
      'InvalidAction',
      ['/url'],
    ],
    ['headers as a list', () => ({ headers: [['a', 'b']] }), 400, 'InvalidAction', ['/headers']],
    [
      'a header that is a number',
      () => ({ headers: { 'x-n': 1 } }),
      400,
      'InvalidAction',
      ['/headers/x-n'],
    ],
    [
      'a header that is null',
      () => ({ headers: { 'x-n': null } }),
      400,
      'InvalidAction',
      ['/headers/x-n'],
    ],
    [
      'a header that is a list',
      () => ({ headers: { 'x-n': ['a'] } }),
      400,
      'InvalidAction',
      ['/headers/x-n'],
    ],
    [
      'a misspelt member',
      () => ({ responseSchema: {} }),
      400,
      'InvalidAction',
      ['/responseSchema'],
    ],
    [
      'a schema that is no object',
      () => ({ response_schema: true }),
      400,
      'InvalidAction',
      ['/response_schema'],
    ],
    [
      'a schema with a bad type',
      () => ({ response_schema: { type: 'text' } }),
      400,
      'InvalidResponseSchema',
    ],
    ['a host off the allowlist', () => ({ url: 'http://elsewhere.test/' }), 403, 'HostNotAllowed'],
    ['an address off the allowlist', () => ({ url: 'http://127.0.0.2/' }), 403, 'HostNotAllowed'],
    [
      'a refused address',
      (origin) => ({ url: origin.replace('127.0.0.1', 'inside.test') }),
      403,
      'AddressNotAllowed',
    ],
  ];

const executor = shared(() => {
  const env = {
    HTTP_EXECUTOR_ALLOWED_HOSTS: 'localhost,127.0.0.1,inside.test',
    HTTP_EXECUTOR_MAX_REQUEST_BYTES: '500',
  };
  return startExecutor({ env, connect: { resolve: loopback('inside.test').resolve } });
});

describe('a refusal sends nothing and answers with a problem', () => {
  it.each(REFUSED)('%s', async (_name, change, status, code, pointers) => {
    await using upstream = await startUpstream();
    const problem = await executor().problem({
      method: 'GET',
      url: upstream.origin,
      ...change(upstream.origin),
    });
    expect(problem).toMatchObject({ status, code });
    if (pointers !== undefined)
      expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
    expect(upstream.connections).toBe(0);
  });

  it('the same action without the fault goes through', async () => {
    await using upstream = await startUpstream();
    await executor().success({ method: 'GET', url: upstream.origin });
    expect(upstream.requests).toHaveLength(1);
  });
});

const BODIES: [name: string, init: RequestInit, status: number, code: string][] = [
  ['malformed JSON', { body: '{"method":' }, 400, 'MalformedJson'],
  ['an empty body', { body: '' }, 400, 'MalformedJson'],
  ['two documents', { body: '{}{}' }, 400, 'MalformedJson'],
  ['a __proto__ key', { body: '{"method":"GET","__proto__":{}}' }, 400, 'MalformedJson'],
  ['a __proto__ key deep inside', { body: '{"body":[{"__proto__":{}}]}' }, 400, 'MalformedJson'],
  [
    'constructor.prototype',
    { body: '{"body":{"constructor":{"prototype":{}}}}' },
    400,
    'MalformedJson',
  ],
  ['a JSON array', { body: '[]' }, 400, 'InvalidAction'],
  ['a JSON string', { body: '"GET"' }, 400, 'InvalidAction'],
  ['null', { body: 'null' }, 400, 'InvalidAction'],
  ['text/plain', { headers: { 'content-type': 'text/plain' } }, 415, 'UnsupportedMediaType'],
  [
    'a form',
    { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'UnsupportedMediaType',
  ],
  ['text/json', { headers: { 'content-type': 'text/json' } }, 415, 'UnsupportedMediaType'],
  [
    'one byte above the request limit',
    { body: JSON.stringify('x'.repeat(499)) },
    413,
    'PayloadTooLarge',
  ],
  ['GET', { method: 'GET', body: null }, 405, 'MethodNotAllowed'],
  ['PUT', { method: 'PUT' }, 405, 'MethodNotAllowed'],
  // contract: 405, whatever else is wrong with the request.
  [
    'DELETE without the body it announces',
    { method: 'DELETE', body: null },
    405,
    'MethodNotAllowed',
  ],
  [
    'PUT with text',
    { method: 'PUT', headers: { 'content-type': 'text/plain' } },
    405,
    'MethodNotAllowed',
  ],
];

describe('a request to /execute that is no action', () => {
  it.each(BODIES)('%s', async (_name, init, status, code) => {
    await using upstream = await startUpstream();
    const action = { method: 'GET', url: upstream.origin };
    const response = await executor().execute(action, init);
    expect(await readProblem(response)).toMatchObject({ status, code });
    if (status === 405) expect(response.headers.get('allow')).toBe('POST');
    expect(upstream.connections).toBe(0);
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'])(
    '%s is taken',
    async (type) => {
      await using upstream = await startUpstream();
      const action = { method: 'GET', url: upstream.origin };
      const response = await executor().execute(action, { headers: { 'content-type': type } });
      expect(response.status).toBe(200);
    },
  );

  it('a body of exactly the limit is taken', async () => {
    await using upstream = await startUpstream();
    const action = { method: 'POST', url: upstream.origin, body: '' };
    action.body = 'x'.repeat(500 - JSON.stringify(action).length);
    expect((await executor().execute(action)).status).toBe(200);
    action.body += 'x';
    expect((await executor().execute(action)).status).toBe(413);
    expect(upstream.requests).toHaveLength(1);
  });

  it.each(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'PATCH'])(
    '%s without a body is a 405',
    async (method) => {
      const response = await fetch(`${executor().url}/execute`, { method });
      expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({
        status: 405,
        allow: 'POST',
      });
    },
  );

  it('an unknown path is a 404', async () => {
    const response = await fetch(`${executor().url}/run`, { method: 'POST' });
    expect(await readProblem(response)).toMatchObject({ status: 404, code: 'NotFound' });
  });
});

const VIOLATIONS: [name: string, change: object, pointers: string[]][] = [
  ['of the schema', { method: 'BREW', url: 7, extra: 1 }, ['/extra', '/method', '/url']],
  [
    'of the headers',
    { headers: { host: 'a', 'x y': 'b', 'x-c': '\u0001', ok: '1' } },
    ['host', 'x y', 'x-c'].map(header),
  ],
  ['of the url and the headers', { url: 'nope', headers: { te: 'a' } }, ['/headers/te', '/url']],
  // contract: "every violation, at most 20" — the schema's findings must not hide the
  // guard's.
  ['of the method and the url', { method: 'BREW', url: 'nope' }, ['/method', '/url']],
  // contract: as above.
  [
    'of everything',
    { method: 'BREW', url: 'nope', headers: { host: 'a' } },
    ['/headers/host', '/method', '/url'],
  ],
];

function header(name: string): string {
  return `/headers/${name}`;
}

describe('all violations are listed', () => {
  it.each(VIOLATIONS)('%s', async (_name, change, expected) => {
    await using upstream = await startUpstream();
    const { errors = [] } = await executor().problem({
      method: 'GET',
      url: upstream.origin,
      ...change,
    });
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(expected);
  });

  it('escapes header names as JSON Pointers do', async () => {
    await using upstream = await startUpstream();
    const headers = { 'a/b~c': '1' };
    const { errors } = await executor().problem({ method: 'GET', url: upstream.origin, headers });
    expect(errors).toEqual([{ pointer: '/headers/a~1b~0c', message: textWith('name') }]);
  });

  it('up to 20', async () => {
    const headers = Object.fromEntries(
      Array.from({ length: 25 }, (_, index) => [`bad name ${index}`, '']),
    );
    const { errors } = await executor().problem({
      method: 'GET',
      url: 'http://localhost/',
      headers,
    });
    expect(errors).toHaveLength(20);
  });
});
