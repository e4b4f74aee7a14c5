import { createExaminer, type Examiner } from '@gatehouse/http-executor';
import { afterAll, describe, expect, it } from 'vitest';
import { selfTest } from '../src/self-test.ts';

const examiner = createExaminer(1024 * 1024);
afterAll(() => examiner.close());

type Violations = { pointer: string; message: string }[];
const finding = (violations: Violations): Partial<Examiner> => ({
  decodeValidateRedact: async ({ bytes }) => ({
    kind: 'json',
    json: bytes,
    violations,
    redactions: 0,
  }),
});

const BROKEN: [name: string, parts: Partial<Examiner>, message: RegExp][] = [
  ['the thread accepts any body', finding([]), /accepted an invalid body/],
  ['the thread refuses any body', finding([{ pointer: '', message: '' }]), /refused a valid body/],
  ['the thread returns nothing', { decodeValidateRedact: async () => ({}) as never }, /refused/],
  ['no schema is compiled', { compile: () => Promise.reject(new Error('no thread')) }, /no thread/],
];

describe('the self-test of the executor', () => {
  it('passes with the real thread', async () => {
    await expect(selfTest(examiner)).resolves.toBeUndefined();
  });

  it.each(BROKEN)('fails when %s', async (_name, broken, message) => {
    await expect(selfTest({ ...examiner, ...broken })).rejects.toThrow(message);
  });
});
