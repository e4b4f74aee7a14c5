import { decimalOf } from '@gatehouse/json-text';
import type { Ajv } from 'ajv';

/**
 * Replaces keywords that Ajv evaluates wrongly for some values. For example, Ajv does not accept
 * 19.99 as a multiple of 0.01 (docs/decisions/0034).
 */
export function replaceKeywords(ajv: Ajv): void {
  for (const keyword of ['const', 'enum', 'uniqueItems', 'multipleOf']) ajv.removeKeyword(keyword);
  ajv.addKeyword({
    keyword: 'const',
    compile: (expected: unknown) => equalToOneOf([expected]),
    error: { message: ({ schema }) => `must be ${JSON.stringify(schema)}` },
  });
  ajv.addKeyword({
    keyword: 'enum',
    schemaType: 'array',
    compile: equalToOneOf,
    error: { message: ({ schema }) => enumMessage(schema) },
  });
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (unique: boolean, items: readonly unknown[]) => !unique || areUnique(items),
    error: { message: 'must not have duplicate items' },
  });
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: isMultiple,
    error: { message: ({ schema }) => `must be a multiple of ${schema}` },
  });
}

function enumMessage(values: readonly unknown[]): string {
  const listed = values.map((value) => JSON.stringify(value)).join(', ');
  return `must be ${values.length === 1 ? '' : 'one of '}${listed}`;
}

function equalToOneOf(values: readonly unknown[]): (value: unknown) => boolean {
  const known = new Set(values.map(equalityKey));
  return (value) => known.has(equalityKey(value));
}

/** True if no two items are equal. Stops at the first duplicate, so later items take no memory. */
function areUnique(items: readonly unknown[]): boolean {
  const known = new Set<string>();
  return items.every((item) => known.size < known.add(equalityKey(item)).size);
}

/** Returns a value as JSON with sorted members, so that equal values have the same text. */
function equalityKey(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(equalityKey).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const written = members.map(([name, each]) => `${JSON.stringify(name)}:${equalityKey(each)}`);
  return `{${written.join(',')}}`;
}

/** Scales both numbers to integers, because dividing doubles can round or overflow. */
function isMultiple(factor: number, value: number): boolean {
  const [a, b] = [decimalOf(String(value)), decimalOf(String(factor))];
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (each: typeof a) => BigInt(each.digits) * 10n ** BigInt(each.exponent - exponent);
  return scaled(a) % scaled(b) === 0n;
}
