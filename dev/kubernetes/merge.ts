type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Merges a strategic merge patch into a manifest, as far as our patches need it. Objects are merged
 * by member, and lists by the `name` of their items. A test compares the result with kustomize's.
 * @throws if a list of the patch has an item without a name
 */
export function merge(manifest: unknown, patch: unknown): unknown {
  if (Array.isArray(manifest) && Array.isArray(patch)) return mergeLists(manifest, patch);

  if (!isObject(manifest) || !isObject(patch)) return patch;

  const members = Object.entries(patch).map(([key, value]) => [key, merge(manifest[key], value)]);
  return { ...manifest, ...Object.fromEntries(members) };
}

function mergeLists(items: readonly Members[], patches: readonly Members[]): unknown[] {
  const byName = new Map(items.map((item) => [item.name, item as unknown]));
  for (const patch of patches) {
    if (patch.name === undefined) throw new Error(`an item has no name: ${JSON.stringify(patch)}`);
    byName.set(patch.name, merge(byName.get(patch.name), patch));
  }
  return [...byName.values()];
}
