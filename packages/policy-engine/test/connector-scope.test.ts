import { describe, expect, it } from 'vitest';
import { evaluatePolicy } from '../src/index.ts';
import { expectedSummary, summarize } from './support/answers.ts';
import { CONNECTOR_CASES } from './support/cases.ts';
import { CONNECTOR_FORMS } from './support/connector-forms.ts';
import { answerInProcess } from './support/in-process.ts';

describe('connector_scope', () => {
  it.each(CONNECTOR_FORMS)('$name', ({ connector, outcome }) => {
    const { rules } = evaluatePolicy(connector === undefined ? {} : { connector });
    expect(rules[3]?.outcome ?? 'absent').toBe(outcome);
  });
});

describe('connector_scope, the whole answer', () => {
  it.each(CONNECTOR_CASES)('$name', ({ request }) => {
    expect(summarize(answerInProcess(request), request)).toEqual(expectedSummary(request));
  });
});
