/** JSON nested deeper than this is refused on both sides: recursive consumers overflow their stack on it. */
export const MAX_JSON_DEPTH = 256;

/** Whether arrays and objects of a JSON value nest deeper than the limit, beyond which this does not look either. */
export function nestsTooDeep(value: unknown, limit = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  return Object.values(value).some((member) => nestsTooDeep(member, limit - 1));
}

/** Whether every number in a value that does not nest too deep is one that JSON can write: `1e400` is read as infinite. */
export function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(hasFiniteNumbers);
}
