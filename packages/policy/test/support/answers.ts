import { expect } from 'vitest';
import { type Check, checkPolicy, evaluate, readCheck, toResponse } from '../../src/index.ts';
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

/** Reads a check that must be valid. */
export function readValid(value: unknown): Check {
  const read = readCheck(value);
  return read.ok ? read.value : expect.fail(JSON.stringify(read.violations));
}
