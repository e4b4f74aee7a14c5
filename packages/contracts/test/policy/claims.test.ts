import { expect, it } from 'vitest';
import { type FixedSections, Strict, sectionsBeside, withFixedSections } from '../../src/index.ts';

const SPEND = { amount_minor_units: 1, currency: 'EUR' };

/** Fixed sections, with the sections that a model may send and the sections that it must send. */
const CASES: readonly [
  fixed: FixedSections,
  open: readonly string[],
  required?: readonly string[],
][] = [
  [{}, ['spend', 'pii', 'legal', 'connector']],
  [{ spend: null, connector: null }, ['pii', 'legal']],
  [{ spend: {} }, ['spend', 'pii', 'legal', 'connector'], ['spend']],
  [{ spend: { currency: 'EUR' } }, ['spend', 'pii', 'legal', 'connector'], ['spend']],
  [{ spend: SPEND }, ['pii', 'legal', 'connector']],
  [{ spend: { ...SPEND, user_limit_minor_units: 50 } }, ['pii', 'legal', 'connector']],
  [{ pii: { categories: [] }, legal: { flags: [] } }, ['spend', 'connector']],
  [{ connector: { scope: 'mcp://a' } }, ['spend', 'pii', 'legal']],
];

it('lets a model send members that are not fixed', () => {
  for (const [fixed, open, required] of CASES) {
    const schema = Strict(sectionsBeside(fixed));
    expect([fixed, Object.keys(schema.properties), schema.required]).toEqual([
      fixed,
      open,
      required,
    ]);
  }
});

it('never lets a model raise its own spending limit', () => {
  for (const fixed of [{}, { spend: {} }, { spend: { currency: 'EUR' } }]) {
    const { spend } = sectionsBeside(fixed);
    expect(spend?.properties).toHaveProperty('amount_minor_units');
    expect(spend?.properties).not.toHaveProperty('user_limit_minor_units');
  }
});

it('overwrites the members that a model sends with fixed members', () => {
  const sent = { spend: { ...SPEND, user_limit_minor_units: 1e9 }, legal: { flags: [] } };
  const fixed: FixedSections = { spend: { user_limit_minor_units: null }, legal: null };
  expect(withFixedSections(sent, fixed)).toEqual({
    spend: { ...SPEND, user_limit_minor_units: null },
    legal: null,
  });
  expect(withFixedSections({}, { pii: { categories: ['health'] } })).toEqual({
    pii: { categories: ['health'] },
  });
});
