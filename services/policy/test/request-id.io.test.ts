import { afterAll, describe, expect, it } from 'vitest';
import { exchange } from './support/bare-socket.ts';
import { postCheck, startPolicy } from './support/policy-server.ts';
import { problemIn, received } from './support/problems.ts';

const server = await startPolicy();
afterAll(() => server[Symbol.asyncDispose]());

/** Every visible ASCII character, in 94 of the 128 that are taken. */
const VISIBLE = Array.from({ length: 94 }, (_, n) => String.fromCharCode(0x21 + n)).join('');

const TAKEN: [name: string, id: string][] = [
  ['one character', 'x'],
  ['a UUID', '3f0c8d0e-6f3b-4a0e-9a57-4f6f2f3a1b2c'],
  ['every visible ASCII character', VISIBLE],
  ['128 characters', 'r'.repeat(128)],
];

const REPLACED: [name: string, id: string][] = [
  ['empty', ''],
  ['129 characters', 'r'.repeat(129)],
  ['a space inside', 'a b'],
  ['a tab inside', 'a\tb'],
  ['beyond ASCII', 'réf'],
];

describe.each(TAKEN)('x-request-id of %s is the one of the answer', (_name, id) => {
  it('to a check', async () => {
    const answer = await postCheck(server.url, '{}', { 'x-request-id': id });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-request-id')).toBe(id);
  });

  it('to a refused check', async () => {
    const answer = await received(postCheck(server.url, '[]', { 'x-request-id': id }));
    expect(problemIn(answer, { status: 400, code: 'InvalidRequest' }).request_id).toBe(id);
  });

  it.each([
    ['/healthz', 200],
    ['/nothing', 404],
    ['/policy/check', 405],
  ])('to GET %s', async (path, status) => {
    const answer = await fetch(`${server.url}${path}`, { headers: { 'x-request-id': id } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-request-id')).toBe(id);
  });
});

describe.each(REPLACED)('x-request-id that is not usable, %s, is replaced', (_name, id) => {
  it('in an answer and in a problem', async () => {
    const headers = { 'x-request-id': id };
    const taken = await postCheck(server.url, '{}', headers);
    expect(taken.status).toBe(200);
    expect(taken.headers.get('x-request-id')).toMatch(/^[\x21-\x7e]{8,128}$/);
    expect(taken.headers.get('x-request-id')).not.toBe(id);

    const problem = problemIn(await received(postCheck(server.url, '[]', headers)), {
      status: 400,
      code: 'InvalidRequest',
    });
    expect(problem.request_id).not.toBe(id);
  });
});

describe('x-request-id', () => {
  it('given twice is replaced', async () => {
    const head =
      'GET /healthz HTTP/1.1\r\nhost: x\r\nx-request-id: a\r\nx-request-id: b\r\nconnection: close\r\n\r\n';
    const id = (await exchange(server.port, head)).headers.get('x-request-id');
    expect(id).toMatch(/^[\x21-\x7e]{8,128}$/);
  });

  it('not given is another one for every request', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => fetch(`${server.url}/healthz`)),
    );
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(50);
  });

  it('has nothing to do with the request_id of the body', async () => {
    const answer = await postCheck(server.url, '{"request_id":"from-the-body"}');
    expect(answer.headers.get('x-request-id')).not.toBe('from-the-body');
    expect(Object.keys((await answer.json()) as object)).toEqual(['decision', 'rules']);
  });
});
