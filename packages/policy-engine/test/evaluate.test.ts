import { expect, it } from 'vitest';
import { evaluate, toResponse } from '../src/index.ts';
import { expectAnswers } from './support/answers.ts';
import type { CheckInput } from './support/decision-table.ts';

/** Variants of each section: absent, null, and at least one for each possible outcome. */
const SPENDS: CheckInput[] = [
  {},
  { spend: null },
  { spend: { amount_minor_units: 10_000, currency: 'EUR' } },
  { spend: { amount_minor_units: 10_001, currency: 'usd', user_limit_minor_units: null } },
  { spend: { amount_minor_units: 500, currency: 'JPY', user_limit_minor_units: 499 } },
  { spend: { amount_minor_units: 500_001, currency: 'KWD', user_limit_minor_units: 900_000 } },
];
const PIIS: CheckInput[] = [
  {},
  { pii: null },
  { pii: { categories: [] } },
  { pii: { categories: ['health', 'basic_contact'] } },
  { pii: { categories: ['financial', 'government_id'] } },
];
const LEGALS: CheckInput[] = [
  {},
  { legal: null },
  { legal: { flags: ['other'] } },
  { legal: { flags: ['terms_unknown', 'other'] } },
  { legal: { flags: ['requires_review', 'prohibited_content'] } },
];
const CONNECTORS: CheckInput[] = [
  {},
  { connector: null },
  { connector: {} },
  { connector: { scope: 'mcp://Calendar' } },
  { connector: { scope: 'mcp://secrets/prod' } },
];

it('decides every combination of sections, word for word', () => {
  const crossed = SPENDS.flatMap((spend) =>
    PIIS.flatMap((pii) =>
      LEGALS.flatMap((legal) =>
        CONNECTORS.map((connector) => ({ ...spend, ...pii, ...legal, ...connector })),
      ),
    ),
  );
  expect(crossed).toHaveLength(6 * 5 * 5 * 5);
  expectAnswers(crossed);
});

it('orders the members of a response and of its rules', () => {
  const { rules, ...rest } = toResponse(evaluate({ request_id: 'r-1', connector: {} }));
  expect(Object.keys(rest)).toEqual(['decision']);
  for (const rule of rules) expect(Object.keys(rule)).toEqual(['rule', 'outcome', 'detail']);
});
