import type { Profile, Violation } from '@gatehouse/contracts';
import { findCurrency, formatMoney } from '../money.ts';

/** Finds contradictions that the schema permits: limits above ceilings, and unreachable scopes. */
export function contradictionsIn({ spend, connector }: Profile): Violation[] {
  const { limit_major_units, ceiling_major_units, max_user_limit_major_units } = spend;
  return [
    ...limitContradictions('/spend', 'major', {
      limit: limit_major_units,
      ceiling: ceiling_major_units,
      max: max_user_limit_major_units,
      shown: (amount) => `${amount} major units`,
    }),
    ...Object.entries(spend.currencies).flatMap(([code, own]) => currencyContradictions(code, own)),
    ...unreachableScopes(connector),
  ];
}

function currencyContradictions(
  code: string,
  own: Profile['spend']['currencies'][string],
): Violation[] {
  const pointer = `/spend/currencies/${code}`;
  const currency = findCurrency(code);
  if (currency === undefined)
    return [{ pointer, message: 'is not the ISO 4217 code of a currency with minor units' }];
  return limitContradictions(pointer, 'minor', {
    limit: own.limit_minor_units,
    ceiling: own.ceiling_minor_units,
    max: own.max_user_limit_minor_units,
    shown: (amount) => `${amount} (${formatMoney(amount, currency)})`,
  });
}

interface Bounds {
  readonly limit: number;
  readonly ceiling: number;
  readonly max: number;
  readonly shown: (amount: number) => string;
}

function limitContradictions(
  at: string,
  unit: string,
  { limit, ceiling, max, shown }: Bounds,
): Violation[] {
  if (ceiling < limit) {
    const message = `must be at least the limit of ${shown(limit)}`;
    return [{ pointer: `${at}/ceiling_${unit}_units`, message }];
  }
  if (max === 0 || (limit <= max && max <= ceiling)) return [];
  const message = `must be 0 (callers cannot raise the limit) or between the limit of ${shown(limit)} and the ceiling of ${shown(ceiling)}`;
  return [{ pointer: `${at}/max_user_limit_${unit}_units`, message }];
}

const LISTS = ['deny', 'require_approval', 'allow'] as const;

interface Entry {
  readonly list: (typeof LISTS)[number];
  readonly index: number;
  readonly scope: string;
}

/** Finds entries that never match, because an entry that is checked earlier covers them. */
function unreachableScopes(connector: Profile['connector']): Violation[] {
  const entries = LISTS.flatMap((list) =>
    connector[list].map((scope, index): Entry => ({ list, index, scope: scope.toLowerCase() })),
  );
  return entries.flatMap((entry, place) => {
    // Of two equal entries, only the second is unreachable.
    const covers = (other: Entry, at: number) =>
      scopeCovers(other, entry) && (at < place || !scopeCovers(entry, other));
    const first = entries.find(covers);
    const isReached = first === undefined || isCheckedBefore(entry, first);
    return isReached ? [] : [neverApplies(entry, first)];
  });
}

const isCheckedBefore = (entry: Entry, other: Entry): boolean =>
  LISTS.indexOf(entry.list) < LISTS.indexOf(other.list);

function neverApplies({ list, index }: Entry, first: Entry): Violation {
  const message = `never applies, because \`${first.scope}\` in \`${first.list}\` matches first; remove one of the two`;
  return { pointer: `/connector/${list}/${index}`, message };
}

function scopeCovers({ scope }: Entry, other: Entry): boolean {
  return scope.endsWith('*') ? other.scope.startsWith(scope.slice(0, -1)) : scope === other.scope;
}
