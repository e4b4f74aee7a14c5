import { createExaminer, createSandbox, type Examiner } from '@gatehouse/http-executor';
import { afterAll, describe, expect, it } from 'vitest';
import { selfTest } from '../src/self-test.ts';

const sandbox = createSandbox(['localhost'], []);
const examiner = createExaminer(1024 * 1024);
afterAll(() => examiner.close());

const violation = { pointer: '', message: 'is wrong' };
type Examine = Examiner['decodeValidateRedact'];
const finding =
  (violations: (typeof violation)[], by: Examine = examiner.decodeValidateRedact): Examine =>
  async (body) =>
    ({ ...(await by(body)), violations }) as Awaited<ReturnType<Examine>>;

const BROKEN: [name: string, parts: Partial<Examiner>, message: RegExp][] = [
  ['a thread takes any body', { decodeValidateRedact: finding([]) }, /took an invalid body/],
  [
    'a thread takes no body',
    { decodeValidateRedact: finding([violation]) },
    /refused a valid body/,
  ],
  [
    'a thread shows a secret',
    {
      decodeValidateRedact: async ({ bytes: json }) => ({
        ...{ kind: 'json', json, violations: [], redactions: 0 },
      }),
    },
    /showed a secret/,
  ],
  [
    'a thread gives nothing',
    { decodeValidateRedact: async () => ({}) as never },
    /not read as JSON/,
  ],
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
