import { checkPolicy } from '@gatehouse/policy-engine';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { nearRequest } from '../../../packages/policy-engine/test/support/arbitraries.ts';
import {
  BAD_REQUESTS,
  ODD_REQUESTS,
} from '../../../packages/policy-engine/test/support/bad-requests.ts';
import { isWellFormed } from '../../../packages/policy-engine/test/support/well-formed.ts';
import { postCheck, startPolicy } from './support/policy-server.ts';
import { problemIn, received } from './support/problems.ts';

const INVALID = { status: 400, code: 'InvalidRequest' };

const server = await startPolicy();
afterAll(() => server[Symbol.asyncDispose]());

const check = (json: string) => received(postCheck(server.url, json));

describe('POST /policy/check refuses', () => {
  it.each(BAD_REQUESTS)('$name', async ({ body, pointers }) => {
    const problem = problemIn(await check(JSON.stringify(body)), INVALID);
    const errors = problem.errors ?? [];
    expect([...new Set(errors.map(({ pointer }) => pointer))].sort()).toEqual(pointers.toSorted());
    for (const error of errors) {
      expect(Object.keys(error)).toEqual(['pointer', 'message']);
      expect(error.message).toMatch(/\S/);
    }
  });

  it.each([
    ['2^53', '9007199254740992'],
    ['2^53 + 1, which no double holds', '9007199254740993'],
    ['a number beyond all doubles', '1e400'],
    ['a fraction', '0.1'],
    ['a negative fraction', '-0.5'],
  ])('an amount written as %s', async (_name, amount) => {
    const problem = problemIn(
      await check(`{"spend":{"amount_minor_units":${amount},"currency":"EUR"}}`),
      INVALID,
    );
    expect(new Set(problem.errors?.map(({ pointer }) => pointer))).toEqual(
      new Set(['/spend/amount_minor_units']),
    );
  });
});

describe('POST /policy/check takes', () => {
  it.each(ODD_REQUESTS)('%s, and answers as the engine does in process', async (_name, body) => {
    const { status, text } = await check(JSON.stringify(body));
    expect(status).toBe(200);
    expect({ ok: true, response: JSON.parse(text) }).toEqual(checkPolicy(body));
  });

  it.each([
    ['1e2', 'EUR 1.00'],
    ['100.0', 'EUR 1.00'],
    ['-0', 'EUR 0.00'],
    ['9007199254740991', 'EUR 90071992547409.91'],
  ])('an amount written as %s', async (amount, shown) => {
    const { status, text } = await check(
      `{"spend":{"amount_minor_units":${amount},"currency":"EUR"}}`,
    );
    expect({ status, text }).toEqual({ status: 200, text: expect.stringContaining(shown) });
  });
});

describe('errors', () => {
  const unknownMembers = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, n]));

  it.each([
    ['19 of 19 unknown members', unknownMembers(19), 19],
    ['20 of 20 unknown members', unknownMembers(20), 20],
    ['20 of 21 unknown members', unknownMembers(21), 20],
    ['20 of 500 unknown categories', { pii: { categories: Array(500).fill('x') } }, 20],
  ])('list %s', async (_name, body, listed) => {
    const problem = problemIn(await check(JSON.stringify(body)), INVALID);
    expect(problem.errors?.length).toBe(listed);
    expect(checkPolicy(body)).toMatchObject({ ok: false, violations: problem.errors });
  });
});

describe('HTTP and checkPolicy', () => {
  it('agree on JSON near the schema, word for word', async () => {
    const property = fc.asyncProperty(nearRequest, async (body) => {
      fc.pre(!JSON.stringify(body).includes('"__proto__"'));
      const answer = await check(JSON.stringify(body));
      const inProcess = checkPolicy(body);
      expect(inProcess.ok).toBe(isWellFormed(body));
      if (inProcess.ok) {
        expect(answer.status).toBe(200);
        expect(JSON.parse(answer.text)).toEqual(inProcess.response);
      } else {
        expect(problemIn(answer, INVALID).errors).toEqual(inProcess.violations.slice(0, 20));
      }
    });
    await fc.assert(property, { numRuns: 1_000 });
  });
});
