import { type Dialect, dialectOf, isSince } from './dialects.ts';
import { DATA_ANNOTATIONS, dialectKnows, KEYWORDS } from './keywords.ts';
import { type Node, type Referred, type Role, referredSchemas, roleOf } from './schema-tree.ts';

/**
 * Copies a schema with the keywords of its dialect alone and without annotations that hold
 * data. Dynamic references become plain ones, `nullable` becomes a `type` where that suffices,
 * and OpenAPI's exclusive bounds become numbers. What a `$ref` may lead to keeps its place.
 */
export function translate(schema: Node, dialect: Dialect): Node {
  const { $schema: _, ...members } = schema;
  const idKeyword = dialect === 'draft-04' ? 'id' : '$id';
  const surroundings = { dialect, idKeyword, referred: referredSchemas(schema) };
  const translated = translateValue(members, 'schema', surroundings) as Node;
  // Beside a `$ref`, drafts before 2019-09 would ignore it.
  return { [idKeyword]: members[idKeyword], ...translated };
}

interface Surroundings {
  readonly dialect: Dialect;
  /** Of the whole document, whatever the drafts of schemas that it embeds. */
  readonly idKeyword: string;
  readonly referred: Referred;
}

function translateValue(value: unknown, by: Role, at: Surroundings): unknown {
  const { dialect, idKeyword, referred } = at;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => translateValue(item, by, at));
  const role = referred.get(value)?.role ?? by;
  const own = role === 'schema' ? (embeddedDialect(value as Node) ?? dialect) : dialect;
  const members = Object.entries(translateNode(value as Node, role, { dialect: own, idKeyword }));
  const translated = (name: string, member: unknown) =>
    translateValue(member, roleOf(name, role), { ...at, dialect: own });
  // Unlike an assignment, this can make a member of `__proto__`.
  return Object.fromEntries(members.map(([name, member]) => [name, translated(name, member)]));
}

/** An embedded schema with an identifier may be of another draft. */
function embeddedDialect({ $schema, $id, id = $id }: Node): Dialect | undefined {
  return typeof $schema === 'string' && typeof id === 'string' ? dialectOf($schema) : undefined;
}

function translateNode(
  node: Node,
  role: Role,
  { dialect, idKeyword }: Omit<Surroundings, 'referred'>,
): Node {
  if (role !== 'schema' && role !== 'unknown') return node;
  const isKept = role === 'schema' ? isKeptInSchema : isKeptElsewhere;
  const kept = Object.entries(node).filter(([name]) => isKept(name, node, dialect));
  const renamed = kept.map(([name, member]) => [
    role === 'schema' && (name === 'id' || name === '$id') ? idKeyword : name,
    member,
  ]);
  const translated = Object.fromEntries(renamed);
  if (dialect === 'openapi') return withNumericBounds(withNull(translated, node));
  return dialect === 'draft-04' && idKeyword === '$id' ? withNumericBounds(translated) : translated;
}

/** Words that Ajv would obey, whatever the dialect. */
const OBEYED: ReadonlySet<string> = new Set(['$async', '$data', 'nullable']);

const BESIDE_REF: ReadonlySet<string> = new Set(['$ref', '$defs', 'definitions']);

function isKeptInSchema(name: string, node: Node, dialect: Dialect): boolean {
  if (OBEYED.has(name) || DATA_ANNOTATIONS.has(name)) return false;
  const keyword = KEYWORDS.get(name);
  if (keyword === undefined) return true;
  // Before 2019-09, the members beside a `$ref` mean nothing.
  const isIgnored = !isSince(dialect, '2019-09') && typeof node.$ref === 'string';
  return dialectKnows(dialect, keyword) && (!isIgnored || BESIDE_REF.has(name));
}

/** Words that would name a place that no keyword leads to. */
const NAMING: ReadonlySet<string> = new Set(['id', '$id', '$anchor', '$dynamicAnchor']);

function isKeptElsewhere(name: string, node: Node): boolean {
  if (NAMING.has(name)) return typeof node[name] !== 'string';
  return typeof node[name] === 'object' || !OBEYED.has(name);
}

/** Keywords that may refuse null whatever `type` and `enum` say. */
const OTHERS = ['$ref', '$dynamicRef', 'const', 'allOf', 'anyOf', 'oneOf', 'not', 'if'];

/** Decision 0033: `nullable` allows null, whatever stands beside it. */
function withNull(node: Node, { nullable }: Node): Node {
  if (nullable !== true) return node;
  const widened: Record<string, unknown> = { ...node };
  if (node.type !== undefined) widened.type = [...new Set([node.type, 'null'].flat())];
  if (Array.isArray(node.enum)) widened.enum = [...new Set([...node.enum, null])];
  return OTHERS.some((name) => Object.hasOwn(node, name)) ? { ...widened, nullable } : widened;
}

const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/** Where an exclusive bound is a boolean, it says how the other one is meant. */
function withNumericBounds(node: Node): Node {
  let result = node;
  for (const [bound, exclusive] of BOUNDS) {
    const { [bound]: limit, [exclusive]: isExclusive, ...rest } = result;
    if (typeof isExclusive !== 'boolean') continue;
    const name = isExclusive && typeof limit === 'number' ? exclusive : bound;
    result = { ...rest, [name]: limit };
  }
  return result;
}
