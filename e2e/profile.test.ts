import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compose, inside, inspect, postTo, SETTINGS } from './support/stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-e2e-'));
const file = join(folder, 'profile.yaml');
const profile = (limit: number) => `name: e2e\nspend: { limit_major_units: ${limit} }\n`;
/** Allows for the five seconds that the service waits after the last edit of a profile. */
const POLL = { timeout: 10_000 };

beforeAll(async () => {
  // Let everyone write to the folder, so that only the read-only mount can prevent a write.
  chmodSync(folder, 0o777);
  writeFileSync(file, profile(100));
  SETTINGS.PROFILES_DIR = folder;
  SETTINGS.POLICY_PROFILE_FILE = '/etc/gatehouse/profile.yaml';
  await compose('up', '--detach', '--build', '--wait', 'policy');
});
afterAll(async () => {
  await compose('down', '--volumes', '--timeout', '1');
  rmSync(folder, { recursive: true });
});

/** Returns the policy's decision on spending EUR 70.00. */
async function decision(): Promise<unknown> {
  const spend = { amount_minor_units: 7_000, currency: 'EUR' };
  const check = { spend, pii: { categories: [] }, legal: { flags: [] } };
  const { document } = await postTo('policy', '/policy/check', check);
  return (document as { decision: string }).decision;
}

const start = async () => {
  const { State, RestartCount } = await inspect('policy');
  return { at: State.StartedAt, restarts: RestartCount };
};

it('the policy service picks up an edited or replaced profile without a restart', async () => {
  const started = await start();
  expect(await decision()).toBe('allow');
  writeFileSync(file, profile(50));
  await expect.poll(decision, POLL).toBe('require_approval');
  writeFileSync(`${file}.new`, profile(80));
  renameSync(`${file}.new`, file);
  await expect.poll(decision, POLL).toBe('allow');
  expect(await start()).toEqual(started);
});

it('an invalid profile is refused, and the log says why', async () => {
  writeFileSync(file, profile(600));
  const logged = () => compose('logs', '--no-log-prefix', 'policy');
  await expect
    .poll(logged, POLL)
    .toContain('policy profile invalid; the last good one stays in force');
  expect(await logged()).toContain('/etc/gatehouse/profile.yaml:2:1: /spend/ceiling_major');
  expect(await decision()).toBe('allow');
});

it('the container cannot write to the mounted folder', async () => {
  expect(await inside('policy', 'touch /etc/gatehouse/probe')).toContain('Read-only file system');
});
