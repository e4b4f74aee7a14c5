import type { Profile, Violation } from '@gatehouse/contracts';
import { findCurrency, formatMoney } from '../money.ts';
import { entryMatches, lowerAscii } from './scopes.ts';

/** Finds profile mistakes that the schema cannot catch, such as a limit above the ceiling. */
export function contradictionsIn({ spend, connector }: Profile): Violation[] {
  const { limit_major_units, ceiling_major_units, max_user_limit_major_units } = spend;
  const limits = [limit_major_units, ceiling_major_units, max_user_limit_major_units] as const;
  return [
    ...limitContradictions('/spend', 'major', limits, (amount) => `${amount} major units`),
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
  const { limit_minor_units, ceiling_minor_units, max_user_limit_minor_units } = own;
  const limits = [limit_minor_units, ceiling_minor_units, max_user_limit_minor_units] as const;
  const shown = (amount: number) => `${amount} (${formatMoney(amount, currency)})`;
  return limitContradictions(pointer, 'minor', limits, shown);
}

function limitContradictions(
  at: string,
  unit: 'major' | 'minor',
  [limit, ceiling, max]: readonly [limit: number, ceiling: number, maxUserLimit: number],
  shown: (amount: number) => string,
): Violation[] {
  if (ceiling < limit) {
    const message = `must be at least as high as the limit, which is ${shown(limit)}`;
    return [{ pointer: `${at}/ceiling_${unit}_units`, message }];
  }
  if (max === 0 || (limit <= max && max <= ceiling)) return [];
  const message = `must be 0 (callers cannot raise the limit) or between the limit of ${shown(limit)} and the ceiling of ${shown(ceiling)}`;
  return [{ pointer: `${at}/max_user_limit_${unit}_units`, message }];
}

/** Names of the scope lists, starting with the list that is checked first. */
const LISTS = ['deny', 'require_approval', 'allow'] as const;

/** Finds list entries that never match, because an earlier entry matches the same scopes. */
function unreachableScopes(connector: Profile['connector']): Violation[] {
  const entries = LISTS.flatMap((list) =>
    connector[list].map((scope, index) => ({ list, index, scope: lowerAscii(scope) })),
  );
  return entries.flatMap(({ list, index, scope }, place) => {
    const first = entries.slice(0, place).find((earlier) => entryMatches(earlier.scope, scope));
    if (first === undefined) return [];
    const message = `never applies, because the entry \`${first.scope}\` in \`${first.list}\` matches first; remove one of the two entries`;
    return [{ pointer: `/connector/${list}/${index}`, message }];
  });
}
