import { createExaminer } from '@gatehouse/http-executor';
import { expect, it } from 'vitest';
import { type Draft, judgeDraft } from '../../../bench/json-schema/suite.ts';

/** The rest is refused: dynamic references, conditions beside `unevaluated…`, `__proto__`. */
const RIGHT: [draft: Draft, right: number][] = [
  ['draft2019-09', 1_002],
  ['draft7', 804],
  ['draft6', 768],
  ['draft4', 567],
];

it.each(RIGHT)(
  'the JSON Schema Test Suite, %s: no wrong verdict, and %i right',
  {
    timeout: 120_000,
  },
  async (draft, required) => {
    const examiner = createExaminer(1024 * 1024);
    const { right, wrong } = await judgeDraft(examiner, draft);
    await examiner.close();
    expect(wrong).toEqual([]);
    expect(right.required).toBe(required);
  },
);
