/** JSON nested deeper than this is refused on both sides: recursive consumers overflow their stack on it. */
export const MAX_JSON_DEPTH = 256;

/** Whether arrays and objects of a JSON value nest deeper than the limit, beyond which this does not look either. */
export function nestsTooDeep(value: unknown, limit = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  for (const key in value) {
    if (nestsTooDeep((value as Record<string, unknown>)[key], limit - 1)) return true;
  }
  return false;
}
