import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckRequest } from '@gatehouse/contracts';
import { decisionRecord, evaluatePolicy } from '@gatehouse/policy-engine';
import { expect, it } from 'vitest';
import { program } from '../src/program.ts';

const LINES = 100_000;
const MAX_MS = 5_000;

it('gatehouse diff replays 100,000 log lines within 5 s', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-replay-'));
  const fileOf = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const lines = Array.from({ length: LINES }, (_, n) => {
    const spend = { amount_minor_units: n, currency: 'EUR' };
    const request: CheckRequest = { spend, pii: { categories: [] }, legal: { flags: [] } };
    const record = decisionRecord(request, evaluatePolicy(request));
    return JSON.stringify({ level: 'info', msg: 'check', request_id: `r-${n}`, ...record, spend });
  });
  const [before, after] = [
    fileOf('old.yaml', 'name: default'),
    fileOf('new.yaml', 'name: next\nspend:\n  limit_major_units: 200'),
  ];
  let out = '';
  const terminal = { out: (text: string) => (out += text), err: () => {}, columns: 80 };
  const log = fileOf('log', lines.join('\n'));
  const began = performance.now();
  expect(await program(['diff', before, after, log], terminal)).toBe(1);
  expect(performance.now() - began).toBeLessThan(MAX_MS);
  expect(out).toContain(`${LINES} of ${LINES} recorded requests could be replayed.`);
  expect(out).toContain('10000 looser, 0 tighter.');
  rmSync(folder, { recursive: true });
}, 60_000);
