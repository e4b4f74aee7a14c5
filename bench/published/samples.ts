import { asNode, at, type Node } from './sources.ts';

let state = 1;
/** Returns a pseudorandom number below 1. The seed is fixed, so all runs use the same samples. */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

/** Returns two values that should match a schema, and others that might not match it. */
export function samplesOf(schema: Node): unknown[] {
  const good = [sampleOf(schema, schema), sampleOf(schema, schema)];
  const near = Array.from({ length: 12 }, () => changed(pick(good)));
  return [...good, ...near, {}, [], null];
}

const MAX_DEPTH = 7;

function sampleOf(schema: unknown, root: Node, depth = 0): unknown {
  const node = asNode(schema);
  const { $ref, const: constant, enum: allowed } = node;
  const inner = (each: unknown) => sampleOf(each, root, depth + 1);
  if (depth > MAX_DEPTH) return null;
  if (typeof $ref === 'string' && $ref.startsWith('#')) return inner(at(root, $ref.slice(1)));
  if (constant !== undefined) return constant;
  if (Array.isArray(allowed)) return pick(allowed);
  const own = ofType(node, inner);
  const branches = [node.anyOf, node.oneOf].find(Array.isArray);
  const parts = [node.allOf ?? [], branches ? pick(branches) : []].flat().map(inner);
  const objects = parts.filter((each) => asNode(each) === each && !Array.isArray(each));
  if (objects.length < parts.length) return parts[0];
  return parts.length === 0 ? own : Object.assign({}, asNode(own), ...objects);
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-02-28T10:00:00Z',
  date: '2026-02-28',
  time: '10:00:00Z',
  email: 'a@b.test',
  uri: 'https://a.test/b',
  url: 'https://a.test/b',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
};

function ofType(node: Node, inner: (schema: unknown) => unknown): unknown {
  const { properties, required, items, minItems, minLength, minimum, format } = node;
  const guess = properties !== undefined ? 'object' : items === undefined ? 'string' : 'array';
  switch (pick([node.type ?? guess].flat())) {
    case 'object': {
      const needed = new Set(Array.isArray(required) ? required : []);
      const chosen = Object.entries(asNode(properties)).filter(
        ([name]) => needed.has(name) || random() < 0.3,
      );
      return Object.fromEntries(chosen.map(([name, each]) => [name, inner(each)]));
    }
    case 'array':
      return Array.from({ length: Number(minItems ?? 1) }, () => inner(items));
    case 'string':
      return BY_FORMAT[String(format)] ?? 'a'.repeat(Number(minLength ?? 3));
    case 'integer':
      return Math.ceil(Number(minimum ?? 1));
    case 'number':
      return Number(minimum ?? 1.5);
    case 'boolean':
      return random() < 0.5;
    default:
      return null;
  }
}

const OTHERS = [null, 'x', '', -1, 0.5, 1e9, true, [], {}, ['x'], { x: 1 }];

function changed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.2) return pick(OTHERS);
  const names = Object.keys(value);
  const name = names.length === 0 || random() < 0.1 ? 'added' : pick(names);
  if (Array.isArray(value))
    return value.map((item, n) => (String(n) === name ? changed(item) : item));
  const { [name]: member, ...rest } = value as Node;
  return random() < 0.25 ? rest : { ...rest, [name]: changed(member) };
}
