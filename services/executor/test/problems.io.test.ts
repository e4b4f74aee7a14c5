import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { readProblem, startExecutor } from './support/executor.ts';

const LIMIT = 500;
const executor = shared(() =>
  startExecutor({
    HTTP_EXECUTOR_ALLOWED_HOSTS: 'localhost,127.0.0.1',
    HTTP_EXECUTOR_MAX_REQUEST_BYTES: String(LIMIT),
  }),
);
const upstream = shared(() => startUpstream());

/** Changes that each make a valid action invalid, with the pointers of the expected violations. */
const INVALID: [name: string, change: object, ...pointers: string[]][] = [
  ['no method', { method: undefined }, '/method'],
  ['a null method', { method: null }, '/method'],
  ['a method that is a number', { method: 7 }, '/method'],
  ['an unknown method', { method: 'BREW' }, '/method'],
  ['TRACE', { method: 'TRACE' }, '/method'],
  ['CONNECT', { method: 'CONNECT' }, '/method'],
  ['a method with a space', { method: ' GET' }, '/method'],
  ['a method with a line break', { method: 'GET\n' }, '/method'],
  ['a method with a dotless i', { method: 'optıons' }, '/method'],
  ['no url', { url: undefined }, '/url'],
  ['an empty url', { url: '' }, '/url'],
  ['a relative url', { url: '/path' }, '/url'],
  ['headers as a list', { headers: [['a', 'b']] }, '/headers'],
  ['a header that is a number', { headers: { 'x-n': 1 } }, '/headers/x-n'],
  ['a header that is null', { headers: { 'x-n': null } }, '/headers/x-n'],
  ['a header that is a list', { headers: { 'x-n': ['a'] } }, '/headers/x-n'],
  ['a header that is refused', { headers: { Host: 'a' } }, '/headers/Host'],
  ['a header with a malformed name', { headers: { 'a/b~c': '1' } }, '/headers/a~1b~0c'],
  ['a body that cannot be sent', { headers: { 'content-type': 'text/csv' }, body: {} }, '/body'],
  ['a misspelled member', { responseSchema: {} }, '/responseSchema'],
  ['a schema that is not an object', { response_schema: true }, '/response_schema'],
  ['an unknown response type', { response_type: 'xml' }, '/response_type'],
  ['a response type in capitals', { response_type: 'TEXT' }, '/response_type'],
  // An action that violates both its schema and the guard's rules gets all violations listed.
  ['several schema violations', { method: 'BREW', url: 7, extra: 1 }, '/extra', '/method', '/url'],
  [
    'violations of the schema and of the guard',
    { method: 'BREW', url: 'x', headers: { te: 'a' } },
    '/headers/te',
    '/method',
    '/url',
  ],
];

const get = () => ({ method: 'GET', url: upstream().origin });

describe('a refusal sends nothing and answers with a problem', () => {
  it.each(INVALID)('%s: InvalidAction', async (_name, change, ...pointers) => {
    for (const response of [
      await executor().execute({ ...get(), ...change }),
      await executor().dryRun({ ...get(), ...change }),
    ]) {
      const { status, code, errors } = await readProblem(response);
      expect([status, code]).toEqual([400, 'InvalidAction']);
      expect(errors?.map(({ pointer }) => pointer).sort()).toEqual(pointers);
    }
    expect(upstream().connections).toBe(0);
  });

  it.each([
    [400, 'InvalidResponseSchema', { response_schema: { type: 'text' } }],
    [403, 'HostNotAllowed', { url: 'http://elsewhere.test/' }],
  ])('%i %s', async (status, code, change) => {
    expect(await executor().problem({ ...get(), ...change })).toMatchObject({ status, code });
    expect(upstream().connections).toBe(0);
  });

  it('403 AddressNotAllowed: the executor itself', async () => {
    for (const method of ['GET', 'POST'])
      expect(await executor().problem({ method, url: executor().url })).toMatchObject({
        status: 403,
        code: 'AddressNotAllowed',
      });
  });

  it('shows no secret of the action', async () => {
    const secret = 'ghp-16C7e42F292c6912E7710c83';
    const headers = { authorization: `token ${secret}` };
    const changes = [
      { [secret]: 1 },
      { method: secret },
      { url: `http://me:${secret}@127.0.0.1/` },
      { headers: { ...headers, [`x-${secret}`]: 1 } },
      { headers: { authorization: `token ${secret}\n` } },
      { response_schema: { type: secret } },
    ];
    for (const change of changes) {
      const response = await executor().execute({ ...get(), headers, ...change });
      expect(response.status).toBe(400);
      expect(await response.text()).not.toContain(secret);
    }
  });
});

describe('a request to /execute that is not an action', () => {
  it.each<[name: string, init: RequestInit, status: number, code: string]>([
    ['a JSON array', { body: '[]' }, 400, 'InvalidAction'],
    ['null', { body: 'null' }, 400, 'InvalidAction'],
    [
      'a number that a double would round',
      { body: '{"method":"GET","url":"http://localhost/","timeout_ms":9007199254740993}' },
      400,
      'InvalidAction',
    ],
    ['GET', { method: 'GET', body: null }, 405, 'MethodNotAllowed'],
  ])('%s', async (_name, init, status, code) => {
    const response = await executor().execute(get(), init);
    expect(await readProblem(response)).toMatchObject({ status, code });
    if (status === 405) expect(response.headers.get('allow')).toBe('POST');
  });

  it('accepts a body of exactly the size limit', async () => {
    const action = { method: 'POST', url: upstream().origin, body: '' };
    action.body = 'x'.repeat(LIMIT - JSON.stringify(action).length);
    expect((await executor().execute(action)).status).toBe(200);
    action.body += 'x';
    expect((await executor().execute(action)).status).toBe(413);
  });
});
