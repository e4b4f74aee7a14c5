import { createExaminer } from '@gatehouse/http-executor';
import { expect, it } from 'vitest';
import { type FileResult, runSuite } from '../../../bench/json-schema/suite.ts';

/** Fewer would mean that schemas of the kind that planners write are refused. */
const MIN_RIGHT = { required: 860, optional: 120 };

it('the JSON Schema Test Suite, draft 2020-12: no wrong verdict, and most tests right', {
  timeout: 120_000,
}, async () => {
  const examiner = createExaminer(1024 * 1024);
  const results: FileResult[] = [];
  for await (const result of runSuite(examiner)) results.push(result);
  await examiner.close();
  for (const [group, least] of Object.entries(MIN_RIGHT)) {
    const members = results.filter((each) => each.group === group);
    expect(members.flatMap(({ file, wrong }) => wrong.map((name) => `${file}: ${name}`))).toEqual(
      [],
    );
    expect(
      members.reduce((sum, { right }) => sum + right, 0),
      group,
    ).toBeGreaterThanOrEqual(least);
  }
});
