import { createResponseSchemas, createSandbox, type ResponseSchemas } from '@gatehouse/http-executor';
import { afterAll, describe, expect, it } from 'vitest';
import { selfTest } from '../src/self-test.ts';

const sandbox = createSandbox(['localhost'], []);
const schemas = createResponseSchemas();
afterAll(() => schemas.close());

const judging = (compile: ResponseSchemas['compile']): ResponseSchemas => ({ compile, close: async () => {} });
const violation = { path: '', message: 'is wrong' };

const BROKEN: [name: string, judge: ResponseSchemas, message: RegExp][] = [
  ['take any body', judging(async () => async () => []), /judged wrongly/],
  ['take no body', judging(async () => async () => [violation]), /judged wrongly/],
  [
    'take no schema',
    judging(async () => {
      throw new Error('no thread');
    }),
    /no thread/,
  ],
];

describe('the self-test of the executor', () => {
  it('passes with what the service runs on', async () => {
    await expect(selfTest(sandbox, schemas)).resolves.toBeUndefined();
  });

  it.each(BROKEN)('fails when the schema workers %s', async (_name, broken, message) => {
    await expect(selfTest(sandbox, broken)).rejects.toThrow(message);
  });

  it('fails when the sandbox lets every address through', async () => {
    const open = { ...sandbox, mayReach: () => ({ ok: true }) as const };
    await expect(selfTest(open, schemas)).rejects.toThrow(/metadata/);
  });
});
