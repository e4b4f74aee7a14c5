import { type Examiner, Refusal } from '@gatehouse/http-executor';
import { expect, it } from 'vitest';
import { type Draft, judgeDraft } from '../../../bench/json-schema/suite.ts';
import { readSchema } from '../src/schema/reading/read.ts';
import { referenceCheck } from '../src/schema/reference/check.ts';
import type { Check } from '../src/schema/violation.ts';

/** Judges by the reference validator alone, whatever Ajv could judge. */
const examiner = {
  compile: async (schema: object) => {
    try {
      return { check: referenceCheck(readSchema(JSON.stringify(schema))) };
    } catch (error) {
      throw new Refusal('InvalidResponseSchema', (error as Error).message);
    }
  },
  examine: async ({ bytes, schema }: { bytes: Buffer; schema: { check: Check } }) => {
    return { violations: schema.check(JSON.parse(bytes.toString())) };
  },
} as unknown as Examiner;

// The rest has meta-schemas of its own, or refers into data.
it.each<[Draft, required: number, optional: number]>([
  ['draft2020-12', 1_119, 152],
  ['draft2019-09', 1_108, 0],
  ['draft7', 811, 0],
  ['draft6', 771, 0],
  ['draft4', 570, 0],
])('the suite of %s', async (draft, required, optional) => {
  const { right, wrong } = await judgeDraft(examiner, draft);
  expect(wrong).toEqual([]);
  expect(right).toEqual({ required, optional });
});
