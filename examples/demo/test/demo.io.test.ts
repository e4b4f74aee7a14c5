import type { StepResult } from '@gatehouse/example-gateway';
import { startProcess } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { differences, type Line, toLine } from '../src/line.ts';
import { table } from '../src/table.ts';

const LONG: Line = {
  step: 'a-step-whose-name-goes-on-and-on',
  decision: 'require_approval',
  rule: 'connector_scope',
  why: `connector_scope: ${'x'.repeat(200)}`,
  outcome: `failed: ${'y'.repeat(200)}`,
  attempts: '3',
  ms: '65000',
};
const RESULT: StepResult = {
  id: 'a',
  state: 'denied',
  decision: 'deny',
  rules: [
    { rule: 'spend_limit', outcome: 'require_approval', detail: 'Costs.' },
    { rule: 'pii_guardrail', outcome: 'deny', detail: 'Faces.' },
  ],
  duration_ms: 2,
};

describe('the table', () => {
  it('fits a narrow terminal, except for reasons, which have their own lines', () => {
    const [, , cells = '', why] = table([LONG]).split('\n');
    expect(cells).toMatch(
      /^a-step-whose-name-g… {2}require_approval {2}failed: y+… {2}3 {9}65000$/,
    );
    expect(cells).toHaveLength(80);
    expect(why).toBe(`    ${LONG.why}`);
  });

  it('names the deciding rule, not the first rule that objected', () => {
    expect(toLine(RESULT)).toMatchObject({
      rule: 'pii_guardrail',
      why: 'pii_guardrail: Faces.',
      outcome: 'denied',
    });
  });

  it('lists the differences between a line and its expectation', () => {
    expect(differences(toLine(RESULT), { decision: 'deny', outcome: 'denied' })).toEqual([]);
    expect(differences(toLine(RESULT), { decision: 'allow', attempts: '1' })).toEqual([
      'a: decision is `deny`, expected `allow`',
      'a: attempts is ``, expected `1`',
    ]);
  });
});

it('pnpm demo prints the expected lines', async () => {
  await using demo = startProcess(new URL('../src/run.ts', import.meta.url));
  expect([await demo.ended, demo.output]).toEqual([
    { code: 0, signal: null },
    expect.stringMatching(/(\d\d) of \1 lines as expected/),
  ]);
});
