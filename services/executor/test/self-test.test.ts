import { createExaminer, createSandbox, type Examiner } from '@gatehouse/http-executor';
import { afterAll, describe, expect, it } from 'vitest';
import { selfTest } from '../src/self-test.ts';

const sandbox = createSandbox(['localhost'], []);
const examiner = createExaminer(1024 * 1024);
afterAll(() => examiner.close());

const violation = { pointer: '', message: 'is wrong' };
type Examine = Examiner['examine'];
const finding =
  (violations: (typeof violation)[]): Examine =>
  async ({ bytes }) => ({ kind: 'json', bytes, violations, redactions: 0 });

const BROKEN: [name: string, parts: Partial<Examiner>, message: RegExp][] = [
  ['the quick thread takes any body', { examine: finding([]) }, /wrong verdict/],
  ['the quick thread takes no body', { examine: finding([violation]) }, /wrong verdict/],
  ['a slow thread takes any body', { examineSlowly: finding([]) as never }, /wrong verdict/],
  [
    'a thread loses the body',
    { examine: async () => ({ kind: 'json', bytes: Buffer.of(), violations: [], redactions: 0 }) },
    /changed a body/,
  ],
  ['a thread gives nothing', { examine: async () => ({}) as never }, /not read as JSON/],
  ['no schema is taken', { compile: () => Promise.reject(new Error('no thread')) }, /no thread/],
];

describe('the self-test of the executor', () => {
  it('passes with what the service runs on', async () => {
    await expect(selfTest(sandbox, examiner)).resolves.toBeUndefined();
  });

  it.each(BROKEN)('fails when %s', async (_name, broken, message) => {
    await expect(selfTest(sandbox, { ...examiner, ...broken })).rejects.toThrow(message);
  });

  it('fails when the sandbox lets every address through', async () => {
    const open = { ...sandbox, mayReach: () => ({ ok: true }) as const };
    await expect(selfTest(open, examiner)).rejects.toThrow(/metadata/);
  });
});
