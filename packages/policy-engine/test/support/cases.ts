import { CONNECTOR_FORMS } from './connector-forms.ts';
import { TABLE_CURRENCIES } from './currencies.ts';
import {
  CATEGORIES,
  type CheckInput,
  defaultLimit,
  FLAGS,
  hardCeiling,
  type SpendInput,
} from './decision-table.ts';

export type Case = { name: string; request: CheckInput };

const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

/** Sections that allow, so that the section under test alone makes the decision. */
const QUIET: CheckInput = {
  spend: { amount_minor_units: 0, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
};

/**
 * Every amount beside a boundary × every kind of user limit, for one currency as spelt.
 */
export function spendCases(currency: string): Case[] {
  return userLimits(currency).flatMap((limit) =>
    amountsAround(
      limit.user_limit_minor_units ?? defaultLimit(currency),
      hardCeiling(currency),
    ).map((amount) => {
      const spend: SpendInput = { amount_minor_units: amount, currency, ...limit };
      return { name: JSON.stringify(spend), request: { ...QUIET, spend } };
    }),
  );
}

function userLimits(currency: string): { user_limit_minor_units?: number | null }[] {
  const standard = defaultLimit(currency);
  const ceiling = hardCeiling(currency);
  const limits = [null, 0, 1, standard - 1, standard, standard + 1, standard * 3];
  const high = [ceiling - 1, ceiling, ceiling + 1, ceiling * 2, ceiling * 1000, MAX_AMOUNT];
  return [{}, ...[...limits, ...high].map((limit) => ({ user_limit_minor_units: limit }))];
}

function amountsAround(limit: number, ceiling: number): number[] {
  const amounts = [
    0,
    1,
    limit - 1,
    limit,
    limit + 1,
    ceiling - 1,
    ceiling,
    ceiling + 1,
    MAX_AMOUNT,
  ];
  return [...new Set(amounts)].filter((amount) => amount >= 0 && amount <= MAX_AMOUNT);
}

export const SPEND_CURRENCIES = TABLE_CURRENCIES.flatMap((code) => [code, code.toLowerCase()]);

export const PII_CASES: readonly Case[] = subsetsOf(CATEGORIES).map((categories) => ({
  name: `categories ${JSON.stringify(categories)}`,
  request: { ...QUIET, pii: { categories } },
}));

export const LEGAL_CASES: readonly Case[] = subsetsOf(FLAGS).map((flags) => ({
  name: `flags ${JSON.stringify(flags)}`,
  request: { ...QUIET, legal: { flags } },
}));

export const CONNECTOR_CASES: readonly Case[] = CONNECTOR_FORMS.map(({ name, connector }) => ({
  name,
  request: { ...QUIET, ...(connector === undefined ? {} : { connector }) },
}));

/** Each section absent, null, and once per outcome that it can have. */
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
  { pii: { categories: ['other', 'location'] } },
  { pii: { categories: ['health', 'basic_contact'] } },
  { pii: { categories: ['financial', 'government_id'] } },
];
const LEGALS: CheckInput[] = [
  {},
  { legal: null },
  { legal: { flags: [] } },
  { legal: { flags: ['other'] } },
  { legal: { flags: ['terms_unknown', 'other'] } },
  { legal: { flags: ['requires_review', 'prohibited_content'] } },
];
const CONNECTORS: CheckInput[] = [
  {},
  { connector: null },
  { connector: {} },
  { connector: { scope: 'mcp://Calendar' } },
  { connector: { scope: 'mcp://billing' } },
  { connector: { scope: 'mcp://secrets/prod' } },
];

/** Every section crossed with every other: the overall decision in every combination. */
export const CROSSED_CASES: readonly Case[] = SPENDS.flatMap((spend) =>
  PIIS.flatMap((pii) =>
    LEGALS.flatMap((legal) =>
      CONNECTORS.map((connector) => {
        const request: CheckInput = { ...spend, ...pii, ...legal, ...connector };
        return { name: JSON.stringify(request), request };
      }),
    ),
  ),
);

function subsetsOf<T>(members: readonly T[]): T[][] {
  return Array.from({ length: 2 ** members.length }, (_, set) =>
    members.filter((_member, place) => Math.floor(set / 2 ** place) % 2 === 1),
  );
}
