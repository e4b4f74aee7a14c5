import { compileProfile, completeProfile } from '@gatehouse/policy';
import { createLogger } from '@gatehouse/service';
import { expect, it } from 'vitest';
import { buildApp } from '../src/app.ts';
import { configOf, postCheck, startPolicy } from './support/policy-server.ts';

const CHECK = {
  spend: { amount_minor_units: 25_000, currency: 'EUR' },
  pii: { categories: ['health'] },
};

const check = (url: string, query = '') =>
  postCheck(url, JSON.stringify(CHECK), {}, `/policy/check${query}`);

const bodyOf = async (response: Response) => (await response.json()) as Record<string, unknown>;

it('explains a decision only on request', async () => {
  await using server = await startPolicy();
  const plain = await bodyOf(await check(server.url));
  expect(Object.keys(plain)).toEqual(['decision', 'rules']);
  expect(await bodyOf(await check(server.url, '?explain=false'))).toEqual(plain);
  const response = await check(server.url, '?explain=true');
  const { explanation, ...same } = await bodyOf(response);
  expect(same).toEqual(plain);
  expect(explanation).toMatchObject({
    profile: 'default',
    digest: response.headers.get('x-policy-digest'),
    rules: [
      { rule: 'spend_limit', remedy: { max_amount_minor_units: 10_000 } },
      { rule: 'pii_guardrail', code: 'category_needs_approval' },
      { rule: 'legal_compliance', code: 'section_missing' },
    ],
  });
});

it('refuses an unknown query parameter', async () => {
  await using server = await startPolicy();
  const unknown = 'Remove the unknown query parameter `explian`; the known ones are `explain`.';
  const wrong = 'Correct the query parameter `explain`: it must be one of true, false.';
  for (const [query, detail] of [
    ['?explain=yes', wrong],
    ['?explain', wrong],
    ['?explian=true', unknown],
    ['?explain=true&explian=true', unknown],
    ['?explain=true&explain=true', expect.stringContaining('Correct the query parameter')],
  ]) {
    const response = await check(server.url, query);
    expect([query, response.status]).toEqual([query, 400]);
    expect(await response.json()).toMatchObject({ code: 'InvalidRequest', detail });
  }
});

it('shows the profile in force, whose digest every decision carries', async () => {
  const own = completeProfile({ name: 'own', version: '7', spend: { limit_major_units: 250 } });
  const logger = createLogger('policy', 'silent');
  const profiles = { default: own, all: [own], callers: new Map() };
  const config = { ...configOf(), profileFile: { path: 'no-file', profiles } };
  await using app = await buildApp({ config, logger });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const shown = await fetch(`${url}/policy/profile`);
  const { profile, digest } = await bodyOf(shown);
  expect(profile).toEqual(own);
  expect(digest).toBe(compileProfile(own).digest);
  expect(shown.headers.get('x-policy-digest')).toBe(digest);
  const decided = await check(url, '?explain=true');
  expect(decided.headers.get('x-policy-digest')).toBe(digest);
  expect(await decided.json()).toMatchObject({
    rules: [{ outcome: 'allow', detail: 'EUR 250.00 is within the limit of EUR 250.00.' }, {}, {}],
    explanation: { profile: 'own', digest },
  });
});
