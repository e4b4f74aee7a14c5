import { expect } from 'vitest';

/** A mask as a list of paths. */
type Paths = readonly (readonly string[])[];

/** Selects from parsed values, as `fields` does from JSON. Returns undefined if the value has no members. */
export function pick(value: unknown, paths: Paths): unknown {
  if (Array.isArray(value)) return value.map((item) => pick(item, paths) ?? {});
  if (typeof value !== 'object' || value === null) return undefined;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const fitting = paths.filter(([first]) => first === name || first === '*');
    if (fitting.length === 0) return [];
    if (fitting.some(({ length }) => length === 1)) return [[name, member]];
    const picked = pick(
      member,
      fitting.map((path) => path.slice(1)),
    );
    return picked === undefined ? [] : [[name, picked]];
  });
  return Object.fromEntries(members);
}

/** Compares a shortened value with the whole one. Lists what is missing, with pointers. */
export function missing(whole: unknown, shown: unknown, pointer = ''): object[] {
  if (Array.isArray(whole) && Array.isArray(shown)) {
    const inner = shown.flatMap((item, n) => missing(whole[n], item, `${pointer}/${n}`));
    const items = whole.length - shown.length;
    return items > 0 ? [...inner, { pointer, items }] : inner;
  }
  if (typeof whole === 'object' && whole !== null && typeof shown === 'object' && shown !== null) {
    const names = Object.keys(whole);
    expect(names.slice(0, Object.keys(shown).length)).toEqual(Object.keys(shown));
    const inner = Object.entries(shown).flatMap(([name, value]) =>
      missing(
        Object(whole)[name],
        value,
        `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      ),
    );
    const members = names.length - Object.keys(shown).length;
    return members > 0 ? [...inner, { pointer, members }] : inner;
  }
  if (whole === shown) return [];
  if (shown === null) return [{ pointer, bytes: expect.any(Number) }];
  const kept = String(shown).slice(0, -1);
  expect(String(shown)).toMatch(/…$/s);
  expect(String(whole).startsWith(kept)).toBe(true);
  return [{ pointer, bytes: expect.any(Number) }];
}
