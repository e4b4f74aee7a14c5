import { inspectJson, pointersAt } from '@gatehouse/json-text';

const DIALECT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

/** Sizes of a caller's schema. */
export const SCHEMA_LIMITS = { maxBytes: 64 * 1024, maxDepth: 64, maxNodes: 5_000 } as const;

/** Keywords that Ajv judges otherwise than the draft, and what to do instead. */
const REFUSED_KEYWORDS: ReadonlyMap<string, string> = new Map([
  ['$async', 'leave it out'],
  ['$data', 'write the value itself'],
  ['$dynamicRef', 'use `$ref`'],
  ['$dynamicAnchor', 'use `$anchor`'],
  ['$recursiveRef', 'use `$ref`'],
  ['$recursiveAnchor', 'use `$anchor`'],
  ['nullable', 'use `type: [..., "null"]`'],
  ['discriminator', 'use `oneOf` with `const`'],
]);

/** Members that hold data, in which nothing is a keyword. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);

/** Members that map names to schemas. */
const MAPS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependentRequired',
]);

/** A schema, and why the validator must not see it. */
export interface Linted {
  readonly schema: Node;
  readonly fault?: string;
  /** Where the fault is, if it is in one place. */
  readonly pointer?: string;
}

const INEXACT = 'must be a number that a double holds with all its digits';

/**
 * Reads a schema, and refuses one that is too large, too deep, of another draft, not local,
 * or that Ajv is known to judge wrongly.
 */
export function lintSchema(text: string): Linted {
  const { maxBytes } = SCHEMA_LIMITS;
  if (Buffer.byteLength(text) > maxBytes)
    return { schema: {}, fault: `it is larger than ${maxBytes} bytes` };
  const schema: Node = JSON.parse(text);
  const fault = faultOf(schema);
  if (fault !== undefined) return { schema, fault };
  const pointer = inexactConstant(text);
  return pointer === undefined ? { schema } : { schema, pointer, fault: INEXACT };
}

/**
 * Where a `const` or `enum` loses digits as it is read, so that another number would equal
 * it. Bounds may be rounded: what they are compared with is, too.
 */
function inexactConstant(text: string): string | undefined {
  const bytes = Buffer.from(text);
  const { inexactNumbers } = inspectJson(bytes);
  return pointersAt(bytes, inexactNumbers).find(isCompared);
}

/** Whether a pointer leads into a `const` or `enum` that is a keyword. */
function isCompared(pointer: string): boolean {
  let holds: Place['holds'] = 'keywords';
  for (const key of pointer.split('/').slice(1)) {
    if (holds === 'keywords' && (key === 'const' || key === 'enum')) return true;
    holds = holdsUnder(key, holds);
  }
  return false;
}

function faultOf(schema: Node): string | undefined {
  const { maxDepth, maxNodes } = SCHEMA_LIMITS;
  const nodes = collectNodes(schema);
  if (nodes === undefined)
    return `it has more than ${maxNodes} nodes or is nested deeper than ${maxDepth} levels`;
  for (const node of nodes) {
    const fault = keywordFault(node);
    if (fault !== undefined) return fault;
  }
  return unevaluatedFault(nodes);
}

/** Subschemas that apply to some bodies only. */
const CONDITIONAL = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'];

/** Keywords that evaluate properties or items, or lead to some that do. */
const EVALUATING = [
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['prefixItems', 'items', 'unevaluatedItems', '$ref'],
];

/** Ajv loses track of what was evaluated inside branches, and errs both ways. */
function unevaluatedFault(nodes: readonly Node[]): string | undefined {
  const uses = (among: readonly Node[], keyword: string) =>
    among.some((node) => Object.hasOwn(node, keyword));
  const unevaluated = ['unevaluatedProperties', 'unevaluatedItems'].find((keyword) =>
    uses(nodes, keyword),
  );
  if (unevaluated === undefined) return undefined;
  if (uses(nodes, 'unevaluatedItems') && uses(nodes, 'contains')) {
    return 'it may not combine `unevaluatedItems` with `contains`';
  }
  for (const keyword of CONDITIONAL) {
    const branches = nodes
      .filter((node) => Object.hasOwn(node, keyword))
      .map((node) => ({ [keyword]: node[keyword] }));
    const inside = branches.flatMap((branch) => collectNodes(branch) ?? []);
    const evaluates = EVALUATING.find((each) => uses(inside, each));
    if (evaluates !== undefined) {
      return `it may not combine \`${unevaluated}\` with \`${evaluates}\` inside \`${keyword}\`; use \`additionalProperties\` or \`items\` in each branch`;
    }
  }
  return undefined;
}

type Node = Readonly<Record<string, unknown>>;

/** Every object that holds keywords; undefined: there are too many, or too deep ones. */
function collectNodes(schema: Node): Node[] | undefined {
  const nodes: Node[] = [];
  const pending: Place[] = [{ value: schema, depth: 1, holds: 'keywords' }];
  let visited = 0;
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    visited += 1;
    if (visited > SCHEMA_LIMITS.maxNodes || place.depth > SCHEMA_LIMITS.maxDepth) return undefined;
    if (typeof place.value !== 'object' || place.value === null) continue;
    if (place.holds === 'keywords' && !Array.isArray(place.value)) nodes.push(place.value as Node);
    pending.push(...childrenOf(place.value, place));
  }
  return nodes;
}

/** A place in a schema, and what its keys are. */
interface Place {
  readonly value: unknown;
  readonly depth: number;
  readonly holds: 'keywords' | 'names' | 'data';
}

function childrenOf(value: object, { depth, holds }: Place): Place[] {
  return Object.entries(value).map(([key, child]) => ({
    value: child,
    depth: depth + 1,
    holds: holdsUnder(key, holds),
  }));
}

function holdsUnder(key: string, parent: Place['holds']): Place['holds'] {
  if (parent === 'data') return 'data';
  if (parent === 'names') return 'keywords';
  if (DATA.has(key)) return 'data';
  return MAPS.has(key) ? 'names' : 'keywords';
}

/** Maps in which Ajv skips a member `__proto__`. */
const NAMED = [...MAPS, 'dependencies'];

function hasProto(map: unknown): boolean {
  return typeof map === 'object' && map !== null && Object.hasOwn(map, '__proto__');
}

function keywordFault(node: Node): string | undefined {
  for (const [keyword, instead] of REFUSED_KEYWORDS) {
    if (Object.hasOwn(node, keyword)) return `it may not use \`${keyword}\`; ${instead}`;
  }
  if (NAMED.some((keyword) => hasProto(node[keyword])))
    return 'it may not name a property `__proto__`';
  const { $schema, $ref } = node;
  if ($schema !== undefined && !(typeof $schema === 'string' && DIALECT.test($schema))) {
    return 'its `$schema` must be `https://json-schema.org/draft/2020-12/schema` or left out';
  }
  if (typeof $ref === 'string' && /^[a-z][a-z\d+.-]*:|^\/\//i.test($ref)) {
    return `\`$ref\` must be local, such as \`#/$defs/name\`; nothing is fetched`;
  }
  return undefined;
}
