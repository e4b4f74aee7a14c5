import { startProcess } from '@gatehouse/testing';
import { expect, it } from 'vitest';

it('pnpm demo prints the expected lines within 80 columns, and reasons on lines of their own', async () => {
  await using demo = startProcess(new URL('../src/run.ts', import.meta.url));
  expect([await demo.ended, demo.output]).toEqual([
    { code: 0, signal: null },
    expect.stringMatching(/^(\d\d) of \1 lines as expected.*^6 of 6 lines as expected/ms),
  ]);
  const rows = demo.output
    .split('\n')
    .filter((line) => /^(?: {4}\w|[\w-]+ {2,})/.test(line))
    .join('\n');
  const reasons = rows.match(/^ {4}\w+: .*$/gm);
  expect(reasons?.map((line) => line.trim().split(':', 1)[0])).toEqual([
    'spend_limit',
    'connector_scope',
    'pii_guardrail',
    'spend_limit',
  ]);
  for (const row of rows.split('\n').filter((line) => !line.startsWith('    ')))
    expect(row.length).toBeLessThanOrEqual(80);
});
