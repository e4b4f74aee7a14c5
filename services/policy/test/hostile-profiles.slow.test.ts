import { mkdtempDisposableSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { startProber } from '../../../bench/hostile/prober.ts';
import { HOSTILE_PROFILES } from './support/hostile-profiles.ts';

/** Wider than the contract's 50 ms, for machines that do other things too. */
const MAX_DELAY_MS = 150;

it('no profile file holds up others while it is read, and the last good one stays', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gatehouse-'));
  const file = join(folder.path, 'profile.yaml');
  const write = (text: string) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  write('name: first\n');
  await using policy = await startService('policy', { POLICY_PROFILE_FILE: file });
  await using prober = startProber(policy);
  // Each file is read once, since no signal asks for it.
  const told = () =>
    policy.lines().filter(({ msg }) => /^policy profile (not taken|changed)/.test(String(msg)));
  const delays: Record<string, number> = {};
  for (const [name, text] of HOSTILE_PROFILES) {
    const before = told().length;
    write(text);
    await prober.report();
    await expect.poll(() => told().length, { timeout: 60_000 }).toBeGreaterThan(before);
    delays[name] = (await prober.report()).heldMs;
  }
  expect(Object.entries(delays).filter(([, delay]) => delay > MAX_DELAY_MS)).toEqual([]);
}, 300_000);
