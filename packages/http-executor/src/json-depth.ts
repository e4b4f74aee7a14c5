/** JSON nested deeper than this is refused on both sides: recursive consumers overflow their stack on it. */
export const MAX_JSON_DEPTH = 256;

/** Whether arrays and objects nest deeper than the limit; itself without recursion. */
export function nestsTooDeep(value: unknown, limit = MAX_JSON_DEPTH): boolean {
  const pending: [unknown, number][] = [[value, 1]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [node, depth] = next;
    if (typeof node !== 'object' || node === null) continue;
    if (depth > limit) return true;
    for (const child of Object.values(node)) if (typeof child === 'object') pending.push([child, depth + 1]);
  }
  return false;
}
