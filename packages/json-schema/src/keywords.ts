import { decimalOf } from '@gatehouse/json-text';
import { _, type Ajv, type AnySchemaObject, type KeywordCxt } from 'ajv';
import { Type } from 'ajv/dist/compile/util.js';
import type { KeywordErrorCxt } from 'ajv/dist/types/index.js';
import { type Dialect, isSince } from './reading/dialects.ts';

/**
 * Replaces keywords that Ajv evaluates wrongly for some values. For example, Ajv does not accept
 * 19.99 as a multiple of 0.01 (docs/decisions/0034).
 */
export function replaceKeywords(ajv: Ajv, dialect: Dialect): void {
  for (const keyword of REPLACED) ajv.removeKeyword(keyword);
  // Ajv skips the keywords after a tuple if the array is shorter than the tuple.
  const before = isSince(dialect, '2020-12') ? 'prefixItems' : 'items';
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
    before,
    type: 'array',
    schemaType: 'boolean',
    validate: (unique: boolean, items: readonly unknown[]) => !unique || areUnique(items),
    error: { message: 'must not have duplicate items' },
  });
  ajv.addKeyword({
    keyword: 'contains',
    before,
    type: 'array',
    schemaType: ['object', 'boolean'],
    trackErrors: true,
    code: (cxt) => checkContains(cxt, isSince(dialect, '2019-09') ? cxt.parentSchema : {}),
    error: { message: containsMessage },
  });
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: isMultiple,
    error: { message: ({ schema }) => `must be a multiple of ${schema}` },
  });
}

const REPLACED = ['const', 'contains', 'enum', 'uniqueItems', 'multipleOf'];

/** Counts matching items. In a loop, Ajv's own code would reuse the verdict on another array. */
function checkContains(
  cxt: KeywordCxt,
  { minContains: min = 1, maxContains: max }: AnySchemaObject,
) {
  const { gen, data } = cxt;
  cxt.setParams({ min, max });
  const count = gen.let('count', 0);
  const isValid = gen.name('_valid');
  gen.forRange('i', 0, _`${data}.length`, (dataProp) => {
    const item = { keyword: 'contains', dataProp, dataPropType: Type.Num } as const;
    cxt.subschema({ ...item, compositeRule: true }, isValid);
    gen.if(isValid, () => gen.code(_`${count}++`));
    if (max === undefined) gen.if(_`${count} >= ${min}`, () => gen.break());
  });
  const hasEnough = _`${count} >= ${min}`;
  const isMet = max === undefined ? hasEnough : _`${hasEnough} && ${count} <= ${max}`;
  cxt.result(isMet, () => cxt.reset());
}

function containsMessage({ params: { min, max } }: KeywordErrorCxt) {
  const most = max === undefined ? '' : ` and no more than ${max}`;
  return `must contain at least ${min}${most} valid item(s)`;
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
