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

describe('connector_scope, the detail', () => {
  it.each([
    ['a long scope of emoji', `mcp://x${'😀'.repeat(200)}`],
    ['half a character', 'mcp://x\ud83d'],
  ])('shows %s as whole characters, and shortened', (_name, scope) => {
    const detail = evaluatePolicy({ connector: { scope } }).rules[3]?.detail ?? '';
    expect(detail).toContain('mcp://x');
    expect(detail.isWellFormed()).toBe(true);
    expect(detail.length).toBeLessThan(200);
  });
});

describe('connector_scope, the whole answer', () => {
  it.each(CONNECTOR_CASES)('$name', ({ request }) => {
    expect(summarize(answerInProcess(request), request)).toEqual(expectedSummary(request));
  });
});
