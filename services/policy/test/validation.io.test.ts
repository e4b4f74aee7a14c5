import { checkPolicy } from '@gatehouse/policy';
import { shared } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearRequest } from '../../../packages/policy/test/support/arbitraries.ts';
import { postCheck, startPolicy } from './support/policy-server.ts';
import { problemIn, received } from './support/problems.ts';

const INVALID = { status: 400, code: 'InvalidRequest' };

const server = shared(startPolicy);

const check = (body: unknown) => received(postCheck(server().url, JSON.stringify(body)));

describe('POST /policy/check', () => {
  it('returns exactly what checkPolicy returns in process', async () => {
    const answered = { allowed: 0, refused: 0 };
    const property = fc.asyncProperty(nearRequest, async (body) => {
      fc.pre(!JSON.stringify(body).includes('"__proto__"'));
      const answer = await check(body);
      const inProcess = checkPolicy(body);
      answered[inProcess.ok ? 'allowed' : 'refused'] += 1;
      if (inProcess.ok)
        expect([answer.status, JSON.parse(answer.text)]).toEqual([200, inProcess.response]);
      else expect(problemIn(answer, INVALID).errors).toEqual(inProcess.violations.slice(0, 20));
    });
    await fc.assert(property, { numRuns: 500 });
    for (const count of Object.values(answered)) expect(count).toBeGreaterThan(50);
  });
});
