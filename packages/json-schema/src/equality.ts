import type { Ajv } from 'ajv';

/**
 * Makes values equal when their canonical JSON is; Ajv's own comparison is misled by members
 * such as `constructor`, `valueOf` and `__proto__`.
 */
export function useJsonEquality(ajv: Ajv): void {
  for (const keyword of ['const', 'enum', 'uniqueItems']) ajv.removeKeyword(keyword);
  ajv.addKeyword({
    keyword: 'const',
    compile: (expected: unknown) => equalToOneOf([expected]),
    error: { message: ({ schema }) => allowedValues([schema]) },
  });
  ajv.addKeyword({
    keyword: 'enum',
    schemaType: 'array',
    compile: equalToOneOf,
    error: { message: ({ schema }) => allowedValues(schema) },
  });
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (unique: boolean, items: readonly unknown[]) => !unique || areUnique(items),
    error: { message: 'must NOT have duplicate items' },
  });
}

export function equalToOneOf(values: readonly unknown[]): (value: unknown) => boolean {
  const [scalars, others] = [new Set(values), new Set(values.map(equalityKey))];
  return (value) => (isScalar(value) ? scalars.has(value) : others.has(equalityKey(value)));
}

export const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

export function areUnique(items: readonly unknown[]): boolean {
  const [scalars, others] = [new Set<unknown>(), new Set<string>()];
  return items.every((item) =>
    isScalar(item) ? addsTo(scalars, item) : addsTo(others, equalityKey(item)),
  );
}

function addsTo<T>(known: Set<T>, value: T): boolean {
  const before = known.size;
  return known.add(value).size > before;
}

/** JSON with sorted members; the depth of values is limited. */
function equalityKey(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(equalityKey).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${equalityKey(member)}`).join(',')}}`;
}

function allowedValues(values: readonly unknown[]): string {
  const listed = values.map((value) => JSON.stringify(value)).join(', ');
  return values.length === 1 ? `must be ${listed}` : `must be one of ${listed}`;
}
