import { expect } from 'vitest';
import { checkPolicy, evaluate, toResponse } from '../../src/index.ts';
import { type CheckInput, expectedAnswer } from './decision-table.ts';

/** Expects `checkPolicy` and `evaluate` to decide as the decision table does, word for word. */
export function expectAnswers(requests: readonly CheckInput[]): void {
  for (const request of requests) {
    const response = expectedAnswer(request);
    const name = JSON.stringify(request);
    expect(toResponse(evaluate(request)), name).toEqual(response);
    expect(checkPolicy(request), name).toEqual({ ok: true, response });
  }
}
