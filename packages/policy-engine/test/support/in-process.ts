import { expect } from 'vitest';
import { checkPolicy, evaluate, toResponse } from '../../src/index.ts';
import type { Case } from './cases.ts';
import { expectedAnswer } from './decision-table.ts';

/** Both doors of the engine give the answer that the decision table asks for. */
export function expectAnswers(cases: readonly Case[]): void {
  for (const { name, request } of cases) {
    const response = expectedAnswer(request);
    expect(toResponse(evaluate(request)), name).toEqual(response);
    expect(checkPolicy(request), name).toEqual({ ok: true, response });
  }
}
