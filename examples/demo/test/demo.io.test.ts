import type { StepResult } from '@gatehouse/example-gateway';
import { startProcess } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { differences, type Line, lineOf } from '../src/line.ts';
import { MIN_WIDTH, table } from '../src/table.ts';

const LONG: Line = {
  step: 'a-step-whose-name-goes-on-and-on',
  decision: 'require_approval',
  rule: 'connector_scope',
  why: `connector_scope: ${'x'.repeat(200)}`,
  outcome: `failed: ${'y'.repeat(200)}`,
  attempts: '3',
  time: '65000 ms',
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
  it('fits its width, whatever it has to show, and cuts no reason', () => {
    const why = `connector_scope: ${'some words '.repeat(20)}`.trim();
    for (const width of [MIN_WIDTH, 113, 114, 160, 500]) {
      const rows = table([LONG, { ...LONG, why }], false, width)
        .trimEnd()
        .split('\n');
      expect(Math.max(...rows.map(({ length }) => length))).toBeLessThanOrEqual(width);
      const words = rows.join(' ').replace(/-{9,}|\s+/g, ' ');
      expect(words.match(/ some words/g)).toHaveLength(20);
      expect(words.match(/x/g)).toHaveLength(200);
    }
  });

  it('has the reason beside the rest where there is room, else below', () => {
    const rows = (width: number) =>
      table([lineOf(RESULT)], false, width)
        .split('\n')
        .slice(2);
    expect(rows(60)).toEqual([
      expect.stringMatching(/^a +deny +denied +2 ms$/),
      '    pii_guardrail: Faces.',
      '',
    ]);
    expect(rows(120)).toEqual([
      expect.stringMatching(/^a +deny +denied +2 ms {2}pii_guardrail: Faces\.$/),
      '',
    ]);
  });

  it('is the same with colour, but for the colour', () => {
    const coloured = table([LONG], true, 120);
    expect(coloured).toContain('\u001b[33mrequire_approval\u001b[39m');
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(table([LONG], false, 120));
  });

  it('names the rule that decided, not the first that objected', () => {
    expect(lineOf(RESULT)).toMatchObject({
      rule: 'pii_guardrail',
      why: 'pii_guardrail: Faces.',
      outcome: 'denied',
    });
  });

  it('says where a line is not as expected', () => {
    expect(differences(lineOf(RESULT), { decision: 'deny', outcome: 'denied' })).toEqual([]);
    expect(differences(lineOf(RESULT), { decision: 'allow', attempts: '1' })).toEqual([
      'a: decision is `deny`, expected `allow`',
      'a: attempts is ``, expected `1`',
    ]);
  });
});

it('pnpm demo ends with every line as expected', { timeout: 60_000 }, async () => {
  await using demo = startProcess(new URL('../src/run.ts', import.meta.url));
  expect([await demo.ended, demo.output]).toEqual([
    { code: 0, signal: null },
    expect.stringMatching(/(\d\d) of \1 lines as expected/),
  ]);
});
