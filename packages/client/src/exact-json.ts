import { pointerToken } from '@gatehouse/contracts';

const ITEM_KINDS = ['Object', 'Array', 'String', 'Number', 'Boolean', 'Null'];
const MEMBER_KINDS = [...ITEM_KINDS, 'Undefined'];

/**
 * Serializes a document as JSON. The value at each JSON Pointer in `objects` must be an object.
 * @throws {TypeError} if `JSON.stringify` would drop or replace a value, such as `NaN` or a `Map`.
 */
export function exactJson(document: unknown, objects: readonly string[] = ['']): string {
  const pointers = new Map<unknown, string>();
  return JSON.stringify(document, function (this: Record<string, unknown>, key, value: unknown) {
    const parent = pointers.get(this);
    const pointer = parent === undefined ? '' : `${parent}/${pointerToken(key)}`;
    pointers.set(value, pointer);
    const mustBeObject = objects.includes(pointer);
    const kinds = Array.isArray(this) ? ITEM_KINDS : MEMBER_KINDS;
    // If a member is an invalid `Date`, `value` is null, but `this[key]` is still the `Date`.
    const kind = kindOf(value ?? this[key]);
    if (mustBeObject ? kind === 'Object' : kinds.includes(kind)) return value;

    const where = pointer === '' ? 'the argument' : `\`${pointer}\``;
    const needed = mustBeObject ? 'an object' : 'a value that JSON can represent';
    throw new TypeError(`${where} must be ${needed}, but is \`${kind}\``);
  });
}

function kindOf(value: unknown): string {
  const isInvalid = value instanceof Date || (typeof value === 'number' && !Number.isFinite(value));
  if (isInvalid) return String(value);
  return Object.prototype.toString.call(value).slice(8, -1);
}
