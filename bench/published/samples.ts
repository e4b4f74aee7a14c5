import { asNode, at, type Node } from './bundles.ts';
import type { Random } from './random.ts';

/** Values that are likely to meet a schema, and others that are near it. */
export function samplesOf(schema: Node, count: number, random: Random): unknown[] {
  const good = [0, 1].map(() => new Sampler(schema, random).sample(schema, 0));
  const near = Array.from({ length: count }, () => changed(random.pick(good), random));
  return [...good, ...near, {}, [], null];
}

const MAX_DEPTH = 7;

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-02-28T10:00:00Z',
  date: '2026-02-28',
  time: '10:00:00Z',
  email: 'a@b.test',
  uri: 'https://a.test/b',
  url: 'https://a.test/b',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
};

class Sampler {
  readonly #root: Node;
  readonly #random: Random;

  constructor(root: Node, random: Random) {
    this.#root = root;
    this.#random = random;
  }

  sample(schema: unknown, depth: number): unknown {
    const node = asNode(schema);
    const { $ref, allOf, const: constant, enum: allowed } = node;
    if (depth > MAX_DEPTH) return null;
    if (typeof $ref === 'string' && $ref.startsWith('#'))
      return this.sample(at(this.#root, $ref.slice(1)), depth + 1);
    if (constant !== undefined) return constant;
    if (Array.isArray(allowed)) return this.#random.pick(allowed);
    const branches = [node.anyOf, node.oneOf].find(Array.isArray);
    const own = this.#ofType(node, depth);
    const all = [
      ...(Array.isArray(allOf) ? allOf : []),
      ...(branches ? [this.#random.pick(branches)] : []),
    ];
    const others = all.map((each) => this.sample(each, depth + 1));
    if (others.length === 0) return own;
    if (others.every((each) => typeof each === 'object' && each !== null && !Array.isArray(each)))
      return Object.assign({}, asNode(own), ...others);
    return others[0];
  }

  #ofType(node: Node, depth: number): unknown {
    const types = [node.type ?? this.#guess(node)].flat();
    switch (this.#random.pick(types)) {
      case 'object':
        return this.#object(node, depth);
      case 'array':
        return this.#random.times(Math.max(1, Number(node.minItems ?? 1)), () =>
          this.sample(node.items, depth + 1),
        );
      case 'string':
        return BY_FORMAT[String(node.format)] ?? 'a'.repeat(Number(node.minLength ?? 3));
      case 'integer':
        return Math.ceil(Number(node.minimum ?? 1));
      case 'number':
        return Number(node.minimum ?? 1.5);
      case 'boolean':
        return this.#random.chance(0.5);
      default:
        return null;
    }
  }

  #guess(node: Node): string {
    if (node.properties !== undefined) return 'object';
    return node.items === undefined ? 'string' : 'array';
  }

  #object({ properties, required }: Node, depth: number): Node {
    const needed = new Set(Array.isArray(required) ? required : []);
    const taken = Object.entries(asNode(properties)).filter(
      ([name]) => needed.has(name) || (depth < 3 && this.#random.chance(0.5)),
    );
    return Object.fromEntries(taken.map(([name, each]) => [name, this.sample(each, depth + 1)]));
  }
}

const OTHERS = [null, 'x', '', -1, 0.5, 1e9, true, [], {}, ['x'], { x: 1 }];

/** The same value with one place changed, left out, or added. */
function changed(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.2)) return random.pick(OTHERS);
  const names = Object.keys(value);
  const name = names.length === 0 || random.chance(0.1) ? 'added' : random.pick(names);
  if (Array.isArray(value))
    return value.map((item, n) => (String(n) === name ? changed(item, random) : item));
  const { [name]: member, ...rest } = value as Node;
  return random.chance(0.25) ? rest : { ...rest, [name]: changed(member, random) };
}
