import {
  type ActionFacts,
  failure,
  type Profile,
  type Result,
  type Section,
  type StatedSpend,
  success,
  type Violation,
} from '@gatehouse/contracts';
import type { PlannedAction } from '@gatehouse/contracts/action';
import { type Currency, findCurrency } from '../money.ts';
import type { Claims } from '../rules/rule.ts';
import { resolvePointer } from './pointer.ts';

export const STATED_SECTIONS = ['spend', 'pii', 'legal'] as const;

/**
 * Facts that a profile states about an action, by section. A failure makes the section count as
 * missing. `none` means that the action spends nothing.
 */
export type Statements = {
  readonly [S in Section]?: Result<Claims<S> | 'none'>;
};

export type Facts = NonNullable<Profile['actions']>['rules'][number]['facts'];

/**
 * Resolves the facts of the rule that matched (docs/contract.md, "Facts"). Without `json`, that is
 * for a replayed check, leaves out facts with pointers, so that the recorded section decides.
 */
export function stateFacts(
  facts: Facts = {},
  json: PlannedAction['json'] | undefined,
  claimed: Claims<'spend'> | null | undefined,
): Statements {
  const { spend, pii, legal } = facts as ActionFacts;
  const isUnknown = spend === undefined || (json === undefined && hasPointer(spend));
  return {
    ...(!isUnknown && { spend: withUserLimit(stateSpend(spend, json), claimed) }),
    ...(pii && { pii: success(pii) }),
    ...(legal && { legal: success(legal) }),
  };
}

const isPointer = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith('/');

const hasPointer = (spend: StatedSpend) => spend !== 'none' && Object.values(spend).some(isPointer);

/** Reads the amount. The reason for a failure completes "The profile states spend, but …". */
function stateSpend(
  spend: StatedSpend,
  json: PlannedAction['json'] = {},
): Result<Claims<'spend'> | 'none'> {
  if (spend === 'none') return success(spend);

  const read = (value: unknown) =>
    isPointer(value) ? resolvePointer(value, json) : success(value);
  const code = read(spend.currency);
  if (!code.ok) return failure(`\`${spend.currency}\` ${code.reason}`);

  const currency = typeof code.value === 'string' ? findCurrency(code.value) : undefined;
  if (currency === undefined) return failure(`\`${spend.currency}\` is not ${KNOWN_CURRENCY}`);

  const unit = spend.amount_minor_units === undefined ? 'major' : 'minor';
  const written = spend[`amount_${unit}_units`];
  const amount = read(written);
  if (!amount.ok) return failure(`\`${written}\` ${amount.reason}`);

  const amount_minor_units = CONVERT[unit](amount.value, currency);
  if (amount_minor_units === undefined)
    return failure(`\`${written}\` is not ${exactAmount(unit, currency)}`);

  return success({ amount_minor_units, currency: currency.code });
}

const KNOWN_CURRENCY = 'the ISO 4217 code of a currency with minor units';

function exactAmount(unit: 'minor' | 'major', { code, exponent }: Currency): string {
  if (unit === 'minor') return 'a whole number of minor units, at most 2^53-1 and not text';
  const decimals = exponent === 0 ? 'no decimals' : `at most ${exponent} decimals`;
  return `an exact amount of ${code}, that is, a number or decimal string with ${decimals}`;
}

/** Converts an amount to minor units. Returns undefined if the amount is not exact. */
const CONVERT = {
  minor: (value: unknown) =>
    Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined,

  major: (value: unknown, { exponent }: Currency) => {
    if (typeof value !== 'number' && typeof value !== 'string') return undefined;

    // Moving the decimal point in the digits avoids a multiplication that could round.
    const [, whole, decimals = ''] = DECIMAL.exec(String(value)) ?? [];
    if (whole === undefined || decimals.length > exponent) return undefined;

    const minorUnits = Number(BigInt(whole + decimals.padEnd(exponent, '0')));
    return Number.isSafeInteger(minorUnits) ? minorUnits : undefined;
  },
};

/** 2^53-1 has 16 digits, so a number with more digits before its decimal point is too large. */
const DECIMAL = /^(0|[1-9]\d{0,15})(?:\.(\d+))?$/;

/** Applies the caller's own limit also to a stated amount in the same currency. */
function withUserLimit(
  stated: Result<Claims<'spend'> | 'none'>,
  claimed: Claims<'spend'> | null | undefined,
): Result<Claims<'spend'> | 'none'> {
  if (!stated.ok || stated.value === 'none' || claimed?.user_limit_minor_units == null)
    return stated;
  const { user_limit_minor_units, currency } = claimed;
  const isSame = findCurrency(currency)?.code === stated.value.currency;
  return isSame ? success({ ...stated.value, user_limit_minor_units }) : stated;
}

/** Finds a currency that is unknown, or an amount that is not exact, without an action. */
export function factContradictions(facts: Facts = {}): Violation[] {
  const { spend } = facts as ActionFacts;
  if (spend === undefined || spend === 'none' || isPointer(spend.currency)) return [];

  const currency = findCurrency(spend.currency);
  if (currency === undefined)
    return [{ pointer: '/spend/currency', message: `is not ${KNOWN_CURRENCY}` }];

  const unit = spend.amount_minor_units === undefined ? 'major' : 'minor';
  const amount = spend[`amount_${unit}_units`];
  if (isPointer(amount) || CONVERT[unit](amount, currency) !== undefined) return [];
  return [
    { pointer: `/spend/amount_${unit}_units`, message: `is not ${exactAmount(unit, currency)}` },
  ];
}
