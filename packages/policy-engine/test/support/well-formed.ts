import { ISO_DIGITS, upperAscii } from './currencies.ts';
import { CATEGORIES, FLAGS } from './decision-table.ts';

type Predicate = (value: unknown) => boolean;

/**
 * True if docs/contract.md accepts a value as a check request. Values are not coerced, unknown
 * members are refused at every level, and null counts as absent for optional members.
 */
export const isWellFormed: Predicate = objectOf({
  request_id: { optional: (value) => typeof value === 'string' && [...value].length <= 128 },
  spend: {
    optional: objectOf({
      amount_minor_units: { required: isAmount },
      currency: {
        required: (value) => typeof value === 'string' && ISO_DIGITS.has(upperAscii(value)),
      },
      user_limit_minor_units: { optional: isAmount },
    }),
  },
  pii: { optional: objectOf({ categories: { required: listOf(CATEGORIES) } }) },
  legal: { optional: objectOf({ flags: { required: listOf(FLAGS) } }) },
  connector: { optional: objectOf({ scope: { optional: (value) => typeof value === 'string' } }) },
});

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 2 ** 53 - 1;
}

function listOf(members: readonly string[]): Predicate {
  return (value) =>
    Array.isArray(value) && value.every((item) => members.some((member) => member === item));
}

function objectOf(
  members: Record<string, { required: Predicate } | { optional: Predicate }>,
): Predicate {
  const known = new Map(Object.entries(members));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const own = new Map<string, unknown>(Object.entries(value));
    const nothingUnknown = [...own.keys()].every((key) => known.has(key));
    return nothingUnknown && [...known].every(([key, demand]) => meets(demand, own.get(key)));
  };
}

function meets(demand: { required: Predicate } | { optional: Predicate }, value: unknown): boolean {
  if ('required' in demand) return demand.required(value);
  return value === undefined || value === null || demand.optional(value);
}
