import type { Profile, ProfileSource, Violation } from '@gatehouse/contracts';
import { type Currency, findCurrency, formatMoney } from '../money.ts';
import type { Claims, Explained, LimitComparison, Rule, RuleResult } from './rule.ts';

type Settings = Profile['spend'];
type Spend = Claims<'spend'>;

const DEFAULTS: Settings = {
  limit_major_units: 100,
  ceiling_major_units: 500,
  max_user_limit_major_units: 500,
  currencies: {},
  missing: 'require_approval',
};

export const spendLimit: Rule<'spend'> = {
  complete: completeSpend,
  contradictions: contradictionsIn,
  missing: 'The request has no spend section, so the cost of the action is unknown.',
  compile: (settings) => (spend) => evaluateSpend(spend, settings),
  allows: allowedAmount,
  record: (spend, withAmounts) => (withAmounts ? spend : undefined),
  join: (claimed, stated, statementDecided) =>
    isLarger(claimed, stated, statementDecided) ? claimed : stated,
  show: () => [],
  compare: () => [],
  limits: { show: showLimits, compare: compareLimits },
};

const NOT_EXACT =
  'The amount and the limit must be whole numbers of minor units of an ISO 4217 currency.';

/**
 * Applies the first case that fits (`policy-service.md` section 4):
 * 1. If the request was not validated, an unknown currency or an invalid amount is denied.
 * 2. An amount above the ceiling is denied, even if the user's limit is higher.
 * 3. An amount above the limit, but not above the ceiling, needs approval.
 * 4. Any other amount is allowed.
 */
function evaluateSpend(spend: Spend, settings: Settings): RuleResult {
  const currency = findCurrency(spend.currency);
  if (currency === undefined || !isExact(spend))
    return { outcome: 'deny', code: 'amount_not_exact', detail: NOT_EXACT, facts: {} };

  const { limit: usual, ceiling, maxUserLimit, shown } = limitsIn(settings, currency);
  const amount = spend.amount_minor_units;
  const asked = spend.user_limit_minor_units ?? usual;
  // A limit above the ceiling is harmless, because amounts above the ceiling are denied anyway.
  const limit = maxUserLimit < ceiling ? lesser(asked, maxUserLimit) : asked;
  const facts = {
    currency: currency.code,
    amount_minor_units: amount,
    limit_minor_units: limit,
    ceiling_minor_units: ceiling,
  };

  if (amount > ceiling) {
    const detail = `${shown(amount)} is above the ceiling of ${shown(ceiling)}.`;
    const remedy = { max_amount_minor_units: lesser(limit, ceiling) };
    return { outcome: 'deny', code: 'amount_above_ceiling', detail, facts: { ...facts, remedy } };
  }

  if (amount > limit) {
    const detail = `${shown(amount)} is above the limit of ${shown(limit)} and needs approval.`;
    const remedied = { ...facts, remedy: { max_amount_minor_units: limit } };
    return { outcome: 'require_approval', code: 'amount_above_limit', detail, facts: remedied };
  }

  const detail = `${shown(amount)} is within the limit of ${shown(limit)}.`;
  return { outcome: 'allow', code: 'within_limit', detail, facts };
}

function allowedAmount({ currency: code = '', remedy }: Explained): string | undefined {
  const amount = remedy?.max_amount_minor_units;
  const currency = findCurrency(code);
  if (amount === undefined || currency === undefined) return undefined;
  return `an action that costs at most ${formatMoney(amount, currency)}`;
}

/** True for a larger claim or, if the currencies differ, for a claim that decided. */
function isLarger(claimed: Spend, stated: Spend, statementDecided: boolean): boolean {
  const isSame = findCurrency(claimed.currency)?.code === stated.currency;
  return isSame ? claimed.amount_minor_units > stated.amount_minor_units : !statementDecided;
}

/** Returns the smaller number. Lint rules ban `Math` in this package because of `Math.random`. */
function lesser(a: number, b: number): number {
  if (a < b) return a;
  return b;
}

function isExact(spend: Spend): boolean {
  return [spend.amount_minor_units, spend.user_limit_minor_units ?? 0].every(
    (units) => Number.isSafeInteger(units) && units >= 0,
  );
}

/**
 * Returns the limits for a currency, in its minor units such as cents, or the general limits in
 * major units. A currency without limits of its own gets the general ones, such as 100 major units.
 */
function limitsIn(settings: Settings, currency?: Currency) {
  const own = currency && settings.currencies[currency.code];
  const unit = currency?.minorPerMajor ?? 1;
  const limit = own?.limit_minor_units ?? settings.limit_major_units * unit;
  const ceiling = own?.ceiling_minor_units ?? settings.ceiling_major_units * unit;
  const most = own?.max_user_limit_minor_units ?? settings.max_user_limit_major_units * unit;
  // A maximum of 0 for user limits means that callers cannot raise the default spending limit.
  const maxUserLimit = most === 0 ? limit : most;
  const shown = (amount: number) =>
    currency === undefined ? `${amount} major units` : formatMoney(amount, currency);
  return { limit, ceiling, maxUserLimit, shown };
}

/**
 * Adds missing limits. A request can set its own limit up to the profile's ceiling, but can only
 * lower a limit that the profile sets (docs/contract.md, "Money").
 */
function completeSpend(own: NonNullable<ProfileSource['spend']>): Settings {
  const spend = { ...DEFAULTS, ...own };
  const most = own.max_user_limit_major_units;
  const hasLimit = own.limit_major_units !== undefined;
  const currencies = Object.entries(own.currencies ?? {}).map(([code, limits = {}]) => {
    const unit = findCurrency(code)?.minorPerMajor ?? 1;
    const ceiling = limits.ceiling_minor_units ?? spend.ceiling_major_units * unit;
    const usual = hasLimit || limits.limit_minor_units !== undefined ? 0 : ceiling;
    const defaults = {
      limit_minor_units: spend.limit_major_units * unit,
      ceiling_minor_units: ceiling,
      max_user_limit_minor_units: most === undefined ? usual : most * unit,
    };
    return [code, { ...defaults, ...limits }] as const;
  });

  return {
    ...spend,
    max_user_limit_major_units: most ?? (hasLimit ? 0 : spend.ceiling_major_units),
    currencies: Object.fromEntries(currencies),
  };
}

const UNKNOWN = 'is not the ISO 4217 code of a currency with minor units';

/** Finds unknown currencies, limits above a ceiling, and user limits outside of both. */
function contradictionsIn(settings: Settings): Violation[] {
  const general = limitsIn(settings);
  return [
    ...spendLimitContradictions(general, (unit) => `/${unit}_major_units`, general.shown),
    ...Object.keys(settings.currencies).flatMap((code) => {
      const pointer = `/currencies/${code}`;
      const currency = findCurrency(code);
      if (currency === undefined) return [{ pointer, message: UNKNOWN }];
      const limits = limitsIn(settings, currency);
      const shown = (amount: number) => `${amount} (${limits.shown(amount)})`;
      return spendLimitContradictions(limits, (unit) => `${pointer}/${unit}_minor_units`, shown);
    }),
  ];
}

function spendLimitContradictions(
  { limit, ceiling, maxUserLimit }: ReturnType<typeof limitsIn>,
  at: (limit: 'ceiling' | 'max_user_limit') => string,
  shown: (amount: number) => string,
): Violation[] {
  if (ceiling < limit) {
    const message = `must be at least as high as the limit, which is ${shown(limit)}`;
    return [{ pointer: at('ceiling'), message }];
  }

  if (limit <= maxUserLimit && maxUserLimit <= ceiling) return [];
  const message = `must be 0 (callers cannot raise the limit) or between the limit of ${shown(limit)} and the ceiling of ${shown(ceiling)}`;
  return [{ pointer: at('max_user_limit'), message }];
}

/** Lists the currencies with limits of their own. */
function currenciesIn(settings: Settings): Currency[] {
  return Object.keys(settings.currencies).flatMap((code) => findCurrency(code) ?? []);
}

function showLimits(settings: Settings): string[][] {
  const own = currenciesIn(settings);
  return [...own, undefined].map((currency) => {
    const { limit, maxUserLimit, ceiling, shown } = limitsIn(settings, currency);
    const others = own.length > 0 ? 'any other' : 'any';
    return [currency?.code ?? others, ...[limit, maxUserLimit, ceiling].map(shown)];
  });
}

const LIMITS = [
  ['spend limit', 'limit'],
  ['spend ceiling', 'ceiling'],
  ['highest limit that callers can set', 'maxUserLimit'],
] as const;

function compareLimits(before: Settings, after: Settings): LimitComparison[] {
  const currencies = new Set([...currenciesIn(before), ...currenciesIn(after)]);
  return [undefined, ...currencies].flatMap((currency) => {
    const [from, to] = [limitsIn(before, currency), limitsIn(after, currency)];
    const { shown } = to;
    // If callers can raise neither limit, the comparison of the limits says it all.
    const isRaised = from.maxUserLimit > from.limit || to.maxUserLimit > to.limit;
    return LIMITS.slice(0, isRaised ? LIMITS.length : -1).map(([what, limit]) => ({
      what,
      from: from[limit],
      to: to[limit],
      shown,
    }));
  });
}
