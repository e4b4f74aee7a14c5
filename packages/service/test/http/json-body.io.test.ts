import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import type { Server } from '../../src/index.ts';
import { readProblem, startServer } from '../support/server.ts';

const MAX_MEMBERS = 10_000;
const MAX_VALUES = 25_000;
const LARGE = { maxRequestBytes: 2_000_000, passedOn: new Set(['body']) };

const members = (count: number) =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":0`).join(',')}}`;
const countMembers = (app: Server) => {
  app.post('/count', async ({ body }) => ({ count: Object.keys(body as object).length }));
};

const post = (url: string, body: string) =>
  fetch(`${url}/count`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

const server = shared(() => startServer(countMembers, LARGE));

describe('a body that is not JSON', () => {
  it.each([
    ['a comma instead of a value', '{"spend": {,}}', 'line 1, column 12'],
    ['a trailing comma', '{"a": 1,\n}', 'line 2, column 1'],
    ['a name without quotes', '{\n\n  a: 1}', 'line 3, column 3'],
    ['a non-ASCII character after another one', '{"ü": …}', 'line 1, column 7'],
    ['a line break in a string', '["a\nb"]', 'line 1, column 4'],
    ['a second document', '{} {}', 'line 1, column 4'],
    ['an incomplete document', '{"a":', 'line 1, column 6'],
  ])('is refused with its place: %s', async (_name, body, where) => {
    expect(await readProblem(await post(server().url, body))).toMatchObject({
      code: 'MalformedJson',
      detail: `Send one JSON document; the body is invalid at ${where}.`,
    });
  });
});

// docs/contract.md, "Bounds".
describe('the members of a body', () => {
  it('are limited to 10,000 in total', async () => {
    expect(await (await post(server().url, members(MAX_MEMBERS))).json()).toEqual({
      count: MAX_MEMBERS,
    });
    for (const body of [
      members(MAX_MEMBERS + 1),
      `{"a":[${members(MAX_MEMBERS / 2)},${members(MAX_MEMBERS / 2)}]}`,
    ]) {
      expect(await readProblem(await post(server().url, body))).toMatchObject({
        code: 'InvalidRequest',
        errors: [
          {
            pointer: '',
            message: 'must have at most 10000 members in total, not counting those inside `body`',
          },
        ],
      });
    }
  });

  it('are limited in short documents, too', async () => {
    await using server = await startServer(countMembers, { maxRequestBytes: 65_536 });
    const letters = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `"${letter}":0`);
    const send = (objects: number) =>
      post(server.url, `{"a":[${Array(objects).fill(`{${letters}}`)}]}`);
    expect((await send(384)).status).toBe(200);
    expect(await readProblem(await send(385))).toMatchObject({ code: 'InvalidRequest' });
  });

  it('are not counted in a member that is passed on', async () => {
    expect(await (await post(server().url, `{"body":${members(3 * MAX_MEMBERS)}}`)).json()).toEqual(
      {
        count: 1,
      },
    );
  });
});

describe('the values of a body', () => {
  // The list itself is a value, too.
  const list = (length: number) => `[${Array(length - 1).fill(0)}]`;

  it('are limited to 25,000 in total', async () => {
    expect(await (await post(server().url, list(MAX_VALUES))).json()).toEqual({
      count: MAX_VALUES - 1,
    });
    for (const item of ['0', '""', '{}', '[]', 'null'])
      expect(
        await readProblem(await post(server().url, list(MAX_VALUES + 1).replaceAll('0', item))),
      ).toMatchObject({
        code: 'InvalidRequest',
        detail:
          'Correct the body: it must have at most 25000 values in total, not counting those inside `body`.',
      });
  });

  it('are not counted in a member that is passed on', async () => {
    const body = `{"body":${list(2 * MAX_VALUES)}}`;
    expect(await (await post(server().url, body)).json()).toEqual({ count: 1 });
  });
});

// The server has a fast path for compact JSON. A space at the end of the body disables the fast
// path, but must not change the result.
describe('a space at the end of a body', () => {
  const echo = (app: Server) => {
    app.post('/count', async ({ body }) => ({ body }));
  };
  it.each([
    '{"a":[1,-1.5,1e+21,true,null,"ü\\n\\"\\\\"]}',
    '{"a":{"b":1},"c":{"b":1}}',
    '{"1":0,"a":0}',
    '{"a":0,"1":0}',
    '{"a":1,"a":1}',
    '{"a":{"b":1,"b":1}}',
    '{"a":1,"\\u0061":1}',
    '{"__proto__":1}',
    '{"__pr\\u006fto__":1}',
    '{"constructor":{"prototype":1}}',
    '{"constructor":1}',
    '[-0]',
    '[1.0]',
    '[1e400]',
    '[9007199254740993]',
    '["\\ud800"]',
    '"text"',
    '[1,]',
    'undefined',
  ])('leaves the answer unchanged: %s', async (body) => {
    await using server = await startServer(echo);
    const [answer, spaced] = await Promise.all(
      [body, `${body} `].map(async (text) => {
        const response = await post(server.url, text);
        return { status: response.status, text: await response.text() };
      }),
    );
    const withoutId = (text = '') => text.replace(/"request_id":"[^"]*"/, '');
    expect(answer?.status).toBe(spaced?.status);
    expect(withoutId(answer?.text)).toBe(withoutId(spaced?.text));
  });
});
