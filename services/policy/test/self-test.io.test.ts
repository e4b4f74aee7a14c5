import { defaultProfile, type Profile } from '@gatehouse/policy-engine';
import { createLogger } from '@gatehouse/service';
import { describe, expect, it } from 'vitest';
import { buildApp } from '../src/app.ts';

const spending = (limit: number, ceiling: number): Profile => ({
  ...defaultProfile,
  spend: {
    ...defaultProfile.spend,
    limit_major_units: limit,
    ceiling_major_units: ceiling,
    max_user_limit_major_units: ceiling,
  },
});

async function readiness(profile: Profile): Promise<number> {
  const profiles = { default: profile, all: [profile], callers: new Map() };
  const profileFile = { path: 'no-file', profiles };
  await using app = await buildApp({
    logger: createLogger('policy', 'silent'),
    profileFile,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  // Decided without waiting for anything, so that the state is final when the first
  // request arrives.
  return (await fetch(`${url}/readyz`)).status;
}

describe('the self-test of the policy service', () => {
  it.each([
    ['the default', defaultProfile],
    ['a ceiling of nothing', spending(0, 0)],
    ['a high ceiling', spending(100, 1_000_000_000)],
  ])('passes with %s', async (_name, profile) => {
    expect(await readiness(profile)).toBe(200);
  });

  it.each([
    ['no spend section', { ...defaultProfile, spend: undefined } as unknown as Profile],
    ['a ceiling below the limit', spending(5, 4)],
    ['a ceiling that is no number', spending(100, Number.NaN)],
    ['a ceiling that denies nothing', spending(100, Number.POSITIVE_INFINITY)],
  ])('fails with %s', async (_name, profile) => {
    expect(await readiness(profile)).toBe(503);
  });
});
