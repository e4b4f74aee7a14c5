import { describe, expect, it } from 'vitest';
import type { Server } from '../src/index.ts';
import { readProblem, startServer } from './support/server.ts';

const MAX_MEMBERS = 10_000;
const LARGE = { maxRequestBytes: 2_000_000, passedOn: new Set(['body']) };

const members = (count: number) =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":0`).join(',')}}`;
const countMembers = (app: Server) => {
  app.post('/count', async ({ body }) => ({ count: Object.keys(body as object).length }));
};

const post = (url: string, body: string) =>
  fetch(`${url}/count`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

// contract section 3: "Bounds".
describe('the members of a body', () => {
  it('are 10,000 at most, in all objects together', async () => {
    await using server = await startServer(countMembers, LARGE);
    expect(await (await post(server.url, members(MAX_MEMBERS))).json()).toEqual({
      count: MAX_MEMBERS,
    });
    for (const body of [
      members(MAX_MEMBERS + 1),
      `{"a":[${members(MAX_MEMBERS / 2)},${members(MAX_MEMBERS / 2)}]}`,
    ]) {
      expect(await readProblem(await post(server.url, body))).toMatchObject({
        code: 'InvalidRequest',
        errors: [
          {
            pointer: '',
            message: 'must have at most 10000 members in all, apart from those in `body`',
          },
        ],
      });
    }
  });

  it('may be more in a member that is passed on', async () => {
    await using server = await startServer(countMembers, LARGE);
    expect(await (await post(server.url, `{"body":${members(3 * MAX_MEMBERS)}}`)).json()).toEqual({
      count: 1,
    });
  });
});
