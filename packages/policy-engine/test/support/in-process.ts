import { expect } from 'vitest';
import { checkPolicy, evaluatePolicy } from '../../src/index.ts';
import type { Answer } from './answers.ts';
import type { CheckInput } from './decision-table.ts';

/** The engine's answer, once it is known to be the same through both of its doors. */
export function answerInProcess(request: CheckInput): Answer {
  const answer = evaluatePolicy(request);
  expect(checkPolicy(request)).toEqual({ ok: true, response: answer });
  return answer;
}
