import { createExaminer } from '@gatehouse/http-executor';
import { expect, it } from 'vitest';
import { judgeDraft } from '../../../bench/json-schema/suite.ts';

it('the JSON Schema Test Suite, draft 2020-12: no wrong verdict, and most right', {
  timeout: 120_000,
}, async () => {
  const examiner = createExaminer(1024 * 1024);
  const { right, wrong } = await judgeDraft(examiner, 'draft2020-12');
  await examiner.close();
  expect(wrong).toEqual([]);
  // The rest is refused: mostly dynamic references and conditions beside `unevaluated…`.
  expect(right).toEqual({ required: 996, optional: 150 });
});
