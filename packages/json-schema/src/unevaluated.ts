import { pointerToken } from '@gatehouse/contracts';
import type { Ajv, AnySchema, AnySchemaObject, ErrorObject } from 'ajv';
import { compileSchema, resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js';
import { resolveUrl } from 'ajv/dist/compile/resolve.js';
import type { DataValidateFunction, DataValidationCxt } from 'ajv/dist/types/index.js';
import { compilePattern } from './pattern.ts';
import { type Dialect, isSince } from './reading/dialects.ts';

/**
 * Replaces `unevaluatedProperties` and `unevaluatedItems`, because Ajv mixes up which members each
 * branch of a schema evaluates (draft 2020-12, section 11; docs/decisions/0034). Ajv still decides
 * which branches hold.
 */
export function replaceUnevaluated(ajv: Ajv, dialect: Dialect): void {
  // Turns off tracking that only Ajv's own versions of these keywords need.
  ajv.opts.unevaluated = false;
  const shared = new Shared(ajv, isSince(dialect, '2020-12'));
  for (const [keyword, type] of KEYWORDS) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type,
      schemaType: ['boolean', 'object'],
      // `$id` is left out, because `baseId` already includes it.
      compile(schema, { [keyword]: _, $id, ...others }, { schemaEnv: { root }, baseId }) {
        const located = (each: AnySchema) =>
          new Located(new SchemaEnv({ schema: each, root, baseId }), shared);
        return checkOf(keyword, located(schema), located(others));
      },
    });
  }
}

const KEYWORDS = [
  ['unevaluatedProperties', 'object'],
  ['unevaluatedItems', 'array'],
] as const;

/** Parsed object or array. */
type Container = Readonly<Record<string | number, unknown>>;

/** Returns a check of all members that the other keywords of a schema do not evaluate. */
function checkOf(keyword: string, unevaluated: Located, others: Located): DataValidateFunction {
  const check: DataValidateFunction = (container: Container, context) => {
    const applied = [...appliedSchemas(others, container)];
    const errors: Partial<ErrorObject>[] = [];
    for (const key of keysOf(container)) {
      if (applied.some((each) => evaluates(each, container, key))) continue;
      const path = `${context?.instancePath}/${pointerToken(String(key))}`;
      if (unevaluated.schema === false) errors.push(unexpectedMember(keyword, key));
      else errors.push(...unevaluated.errorsIn(container[key], path));
      if (errors.length > 0 && !unevaluated.shared.ajv.opts.allErrors) break;
    }
    check.errors = errors;
    return errors.length === 0;
  };
  return check;
}

/** Lists a schema, and those of its subschemas that apply to the same value. */
function* appliedSchemas(located: Located, container: Container): Iterable<Located> {
  if (typeof located.schema !== 'object') return;
  yield located;
  for (const each of subschemas(located, located.schema, container))
    yield* appliedSchemas(each, container);
}

/**
 * Lists subschemas except for branches that fail. Other subschemas need no check, because if one
 * fails, so does the whole schema.
 */
function* subschemas(
  located: Located,
  schema: AnySchemaObject,
  container: Container,
): Iterable<Located> {
  const locate = (each: AnySchema) => located.at(each);
  const holds = (each: Located) => each.errorsIn(container).length === 0;
  const { $ref, allOf = [], anyOf = [], oneOf = [], dependencies, dependentSchemas } = schema;
  if ($ref !== undefined) yield located.targetOf($ref);
  yield* allOf.map(locate);
  yield* [...anyOf, ...oneOf].map(locate).filter(holds);
  for (const [name, each] of Object.entries<AnySchema>({ ...dependencies, ...dependentSchemas }))
    if (Object.hasOwn(container, name)) yield locate(each);
  if (schema.if === undefined) return;
  const condition = locate(schema.if);
  const isMet = holds(condition);
  if (isMet) yield condition;
  yield locate((isMet ? schema.then : schema.else) ?? true);
}

/** True if a schema itself, without its subschemas for the same value, evaluates a member. */
function evaluates(located: Located, container: Container, key: string | number): boolean {
  const schema = located.schema as AnySchemaObject;
  const { is2020, patterns } = located.shared;
  if (typeof key === 'string') return evaluatesProperty(schema, key, patterns);
  const [first, rest] = itemSchemas(schema, is2020);
  if (key < first.length || (rest ?? schema.unevaluatedItems) !== undefined) return true;
  // Before draft 2020-12, `contains` evaluates nothing.
  if (!is2020 || schema.contains === undefined) return false;
  return located.at(schema.contains).errorsIn(container[key]).length === 0;
}

function evaluatesProperty(schema: AnySchemaObject, name: string, patterns: Patterns): boolean {
  const { properties = {}, patternProperties = {} } = schema;
  if ((schema.additionalProperties ?? schema.unevaluatedProperties) !== undefined) return true;
  if (Object.hasOwn(properties, name)) return true;
  return Object.keys(patternProperties).some((source) => {
    const pattern = patterns.get(source) ?? compilePattern(source);
    patterns.set(source, pattern);
    return pattern.test(name);
  });
}

type Patterns = Map<string, ReturnType<typeof compilePattern>>;

/** Values that all schemas of a document share. */
class Shared {
  readonly ajv: Ajv;
  readonly is2020: boolean;
  readonly validators = new Map<AnySchema, DataValidateFunction>();
  readonly patterns: Patterns = new Map();

  constructor(ajv: Ajv, is2020: boolean) {
    this.ajv = ajv;
    this.is2020 = is2020;
  }
}

/** Schema with the document and the base URI for its references. */
class Located {
  readonly shared: Shared;
  readonly #env: SchemaEnv;

  constructor(env: SchemaEnv, shared: Shared) {
    this.#env = env;
    this.shared = shared;
  }

  get schema(): AnySchema {
    return this.#env.schema;
  }

  at(subschema: AnySchema): Located {
    const { schema, root } = this.#env;
    const { $id = '' } = schema as AnySchemaObject;
    const baseId = resolveUrl(this.shared.ajv.opts.uriResolver, this.#env.baseId, $id);
    return new Located(new SchemaEnv({ schema: subschema, root, baseId }), this.shared);
  }

  targetOf($ref: string): Located {
    const { root, baseId } = this.at(true).#env;
    if ($ref === '#' && baseId === root.baseId) return new Located(root, this.shared);
    const target = resolveRef.call(this.shared.ajv, root, baseId, $ref);
    if (target instanceof SchemaEnv) return new Located(target, this.shared);
    const env = new SchemaEnv({ schema: target as AnySchema, root, baseId });
    return new Located(env, this.shared);
  }

  errorsIn(value: unknown, instancePath = ''): readonly Partial<ErrorObject>[] {
    const { ajv, validators } = this.shared;
    let validate = validators.get(this.schema);
    if (validate === undefined) {
      validate = compileSchema.call(ajv, this.#env).validate as DataValidateFunction;
      validators.set(this.schema, validate);
    }
    return validate(value, { instancePath } as DataValidationCxt) ? [] : (validate.errors ?? []);
  }
}

function keysOf(container: Container): Iterable<string | number> {
  return Array.isArray(container) ? container.keys() : Object.keys(container);
}

/**
 * Returns the schemas of the first items, and the schema of all other items. Draft 2020-12 renamed
 * both keywords.
 */
function itemSchemas(schema: AnySchemaObject, is2020: boolean): [readonly unknown[], unknown] {
  const { prefixItems = [], items, additionalItems } = schema;
  if (is2020) return [prefixItems, items];
  return Array.isArray(items) ? [items, additionalItems] : [[], items];
}

function unexpectedMember(keyword: string, key: string | number): Partial<ErrorObject> {
  return typeof key === 'number'
    ? { keyword, message: `must not have an item at index ${key}` }
    : { keyword, params: { unevaluatedProperty: key } };
}
