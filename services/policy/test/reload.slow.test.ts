import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceFile, startService } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { postCheck } from './support/policy-server.ts';

const CLIENTS = 16;
const CHANGES = 4;

/** Check whose amount is above the first limit and below the second. */
const CHECK = JSON.stringify({
  spend: { amount_minor_units: 8_000, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
});
const profile = (limit: number) => `name: acme\nspend: { limit_major_units: ${limit} }\n`;

it('a reload under load fails no check, and each check uses one profile', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-reload-'));
  const path = join(folder, 'profile.yaml');
  const change = (limit: number) => {
    replaceFile(path, profile(limit));
  };
  change(50);
  await using policy = await startService('policy', { POLICY_PROFILE_FILE: path });
  /** Decisions by profile digest. */
  const decisions = new Map<string, Set<string>>();
  const statuses = new Set<number>();
  let running = true;
  const checkInTurn = async () => {
    while (running) {
      const response = await postCheck(policy.url, CHECK);
      const { decision } = (await response.json()) as { decision: string };
      const digest = response.headers.get('x-policy-digest') ?? '';
      decisions.set(digest, (decisions.get(digest) ?? new Set()).add(decision));
      statuses.add(response.status);
    }
  };
  const clients = Array.from({ length: CLIENTS }, checkInTurn);
  const changed = () => policy.lines().filter(({ msg }) => msg === 'policy profile changed').length;
  for (let n = 1; n <= CHANGES; n++) {
    change(n % 2 === 0 ? 50 : 100);
    await expect.poll(changed).toBe(n);
  }
  running = false;
  await Promise.all(clients);
  rmSync(folder, { recursive: true });
  expect([...statuses]).toEqual([200]);
  const made = [...decisions.values()].map((each) => [...each]);
  expect(made.sort()).toEqual([['allow'], ['require_approval']]);
});
