import { createExaminer, createSandbox, type Examiner } from '@gatehouse/http-executor';
import { afterAll, describe, expect, it } from 'vitest';
import { selfTest } from '../src/self-test.ts';

const sandbox = createSandbox(['localhost'], []);
const examiner = createExaminer(1024 * 1024);
afterAll(() => examiner.close());

const violation = { pointer: '', message: 'is wrong' };
const finding = (violations: (typeof violation)[]): Examiner => ({
  ...examiner,
  examine: async ({ bytes }) => ({ kind: 'json', bytes, violations, redactions: 0 }),
});

const BROKEN: [name: string, examiner: Examiner, message: RegExp][] = [
  ['take any body', finding([]), /judged wrongly/],
  ['take no body', finding([violation]), /judged wrongly/],
  [
    'take no schema',
    {
      ...examiner,
      compile: async () => {
        throw new Error('no thread');
      },
    },
    /no thread/,
  ],
];

describe('the self-test of the executor', () => {
  it('passes with what the service runs on', async () => {
    await expect(selfTest(sandbox, examiner)).resolves.toBeUndefined();
  });

  it.each(BROKEN)('fails when the threads that examine %s', async (_name, broken, message) => {
    await expect(selfTest(sandbox, broken)).rejects.toThrow(message);
  });

  it('fails when the sandbox lets every address through', async () => {
    const open = { ...sandbox, mayReach: () => ({ ok: true }) as const };
    await expect(selfTest(open, examiner)).rejects.toThrow(/metadata/);
  });
});
