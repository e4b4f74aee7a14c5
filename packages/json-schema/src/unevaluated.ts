import { pointerToken } from '@gatehouse/contracts';
import type { Ajv, AnySchema, AnySchemaObject, ErrorObject } from 'ajv';
import { compileSchema, resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js';
import { resolveUrl } from 'ajv/dist/compile/resolve.js';
import type { DataValidateFunction, DataValidationCxt } from 'ajv/dist/types/index.js';
import { compilePattern } from './pattern.ts';
import { type Dialect, isSince } from './reading/dialects.ts';

/**
 * Replaces Ajv's `unevaluatedProperties` and `unevaluatedItems` keywords, which wrongly accept some
 * members (JSON Schema 2020-12, section 11; docs/decisions/0034). The replacements ask Ajv which
 * branches of `anyOf` and `oneOf` match a value.
 */
export function replaceUnevaluated(ajv: Ajv, dialect: Dialect): void {
  // Turn off Ajv's tracking of unevaluated members, because the `Evaluation` class replaces it.
  ajv.opts.unevaluated = false;
  const evaluation = new Evaluation(ajv, isSince(dialect, '2020-12'));
  for (const [keyword, type] of KEYWORDS) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type,
      schemaType: ['boolean', 'object'],
      // Leave out `$id`, because Ajv has already applied it to `baseId`.
      compile(schema, { [keyword]: _, $id, ...others }, { schemaEnv: { root }, baseId }) {
        const envOf = (each: AnySchema) => new SchemaEnv({ schema: each, root, baseId });
        return evaluation.checkOf(keyword, envOf(schema), envOf(others));
      },
    });
  }
}

const KEYWORDS = [
  ['unevaluatedProperties', 'object'],
  ['unevaluatedItems', 'array'],
] as const;

type Container = Readonly<Record<string | number, unknown>>;

/** Finds unevaluated members. Uses Ajv's `SchemaEnv`, which holds a schema and its base URI. */
class Evaluation {
  readonly #ajv: Ajv;
  readonly #is2020: boolean;
  readonly #validators = new Map<AnySchema, DataValidateFunction>();
  readonly #patterns = new Map<string, ReturnType<typeof compilePattern>>();

  constructor(ajv: Ajv, is2020: boolean) {
    this.#ajv = ajv;
    this.#is2020 = is2020;
  }

  /** Returns a function that checks all unevaluated members: those that no other keyword covers. */
  checkOf(keyword: string, unevaluated: SchemaEnv, others: SchemaEnv): DataValidateFunction {
    // Compile the subschema now, so that we refuse a schema whose `$ref` has no target.
    this.#validatorOf(unevaluated);
    const check: DataValidateFunction = (container: Container, context) => {
      const applied = [...this.#applied(others, container)];
      const errors: Partial<ErrorObject>[] = [];
      for (const key of Array.isArray(container) ? container.keys() : Object.keys(container)) {
        if (applied.some((each) => this.#covers(each, container, key))) continue;
        const path = `${context?.instancePath}/${pointerToken(String(key))}`;
        if (unevaluated.schema === false) errors.push(unexpectedMember(keyword, key));
        else errors.push(...this.#errorsIn(unevaluated, container[key], path));
        if (errors.length > 0 && !this.#ajv.opts.allErrors) break;
      }
      check.errors = errors;
      return errors.length === 0;
    };
    return check;
  }

  /**
   * Lists a schema and all subschemas that apply to a value, such as matching `anyOf` branches.
   * Adds `allOf` and `$ref` without a check, because a value that they reject is invalid anyway.
   */
  *#applied(env: SchemaEnv, container: Container): Iterable<SchemaEnv> {
    if (typeof env.schema !== 'object') return;
    yield env;
    const { $ref, allOf = [], anyOf = [], oneOf = [], ...schema } = env.schema;
    const envOf = (subschema: AnySchema) => this.#subschema(env, subschema);
    const holds = (each: SchemaEnv) => this.#errorsIn(each, container).length === 0;
    const found: SchemaEnv[] = [
      ...allOf.map(envOf),
      ...[...anyOf, ...oneOf].map(envOf).filter(holds),
    ];
    // `translate` has replaced all other kinds of references with `$ref`.
    if ($ref !== undefined) found.push(this.#targetOf(env, $ref));
    const { dependencies, dependentSchemas } = schema;
    const dependent: Record<string, AnySchema> = { ...dependencies, ...dependentSchemas };
    for (const [name, each] of Object.entries(dependent))
      if (Object.hasOwn(container, name)) found.push(envOf(each));
    if (schema.if !== undefined) {
      const isMet = holds(envOf(schema.if));
      const branches = isMet ? [schema.if, schema.then ?? true] : [schema.else ?? true];
      found.push(...branches.map(envOf));
    }
    for (const each of found) yield* this.#applied(each, container);
  }

  /** True if a keyword of this schema itself, such as `properties`, applies to the member `key`. */
  #covers(env: SchemaEnv, container: Container, key: string | number): boolean {
    const schema = env.schema as AnySchemaObject;
    if (typeof key === 'string') return this.#coversProperty(schema, key);
    const [first, rest] = this.#itemSchemas(schema);
    // `unevaluatedItems` of a subschema has already checked all items that were left.
    if (key < first.length || (rest ?? schema.unevaluatedItems) !== undefined) return true;
    // Before draft 2020-12, an item that matches `contains` is still unevaluated.
    if (!this.#is2020 || schema.contains === undefined) return false;
    return this.#errorsIn(this.#subschema(env, schema.contains), container[key]).length === 0;
  }

  #coversProperty(schema: AnySchemaObject, name: string): boolean {
    const { properties = {}, patternProperties = {} } = schema;
    if ((schema.additionalProperties ?? schema.unevaluatedProperties) !== undefined) return true;
    if (Object.hasOwn(properties, name)) return true;
    return Object.keys(patternProperties).some((source) => {
      const pattern = this.#patterns.get(source) ?? compilePattern(source);
      this.#patterns.set(source, pattern);
      return pattern.test(name);
    });
  }

  /** Returns one schema for each leading item, as in `prefixItems`, and one for all later items. */
  #itemSchemas(schema: AnySchemaObject): [readonly unknown[], unknown] {
    const { prefixItems = [], items, additionalItems } = schema;
    if (this.#is2020) return [prefixItems, items];
    return Array.isArray(items) ? [items, additionalItems] : [[], items];
  }

  /** Returns a subschema together with its base URI, which depends on the parent's `$id`. */
  #subschema({ schema, root, baseId }: SchemaEnv, subschema: AnySchema): SchemaEnv {
    const { $id = '' } = schema as AnySchemaObject;
    const ownBase = resolveUrl(this.#ajv.opts.uriResolver, baseId, $id);
    return new SchemaEnv({ schema: subschema, root, baseId: ownBase });
  }

  #targetOf(env: SchemaEnv, $ref: string): SchemaEnv {
    const { root, baseId } = this.#subschema(env, true);
    if ($ref === '#' && baseId === root.baseId) return root;
    const target = resolveRef.call(this.#ajv, root, baseId, $ref);
    if (target instanceof SchemaEnv) return target;
    return new SchemaEnv({ schema: target as AnySchema, root, baseId });
  }

  #validatorOf(env: SchemaEnv): DataValidateFunction {
    const known = this.#validators.get(env.schema);
    const validate = known ?? (compileSchema.call(this.#ajv, env).validate as DataValidateFunction);
    this.#validators.set(env.schema, validate);
    return validate;
  }

  #errorsIn(env: SchemaEnv, value: unknown, instancePath = ''): readonly Partial<ErrorObject>[] {
    const validate = this.#validatorOf(env);
    return validate(value, { instancePath } as DataValidationCxt) ? [] : (validate.errors ?? []);
  }
}

function unexpectedMember(keyword: string, key: string | number): Partial<ErrorObject> {
  return typeof key === 'number'
    ? { keyword, message: `must not have an item at index ${key}` }
    : { keyword, params: { unevaluatedProperty: key } };
}
