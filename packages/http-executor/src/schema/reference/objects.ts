import { unknownProperty } from '../body-check.ts';
import { compilePattern } from '../pattern.ts';
import { allValid, atMember, type Evaluation, fail, type Judge, type Rule } from './evaluation.ts';

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ofObject(judge: (value: Members, at: Evaluation) => boolean): Judge {
  return (value, at) => !isObject(value) || judge(value, at);
}

/** `properties`, `patternProperties`, and `additionalProperties` for what they leave. */
export const members: Rule = (schema, compiler) => {
  const { properties, patternProperties, additionalProperties } = schema;
  if (![properties, patternProperties, additionalProperties].some((each) => each !== undefined))
    return undefined;
  const named = compiler.named(properties);
  const patterns = [...compiler.named(patternProperties)].map(
    ([source, judge]) => [compilePattern(source), judge] as const,
  );
  const others =
    additionalProperties === undefined ? undefined : compiler.judge(additionalProperties);
  const judgeMember = (name: string, value: unknown, at: Evaluation) => {
    const own = named.get(name);
    const judges = own === undefined ? [] : [own];
    for (const [pattern, judge] of patterns) if (pattern.test(name)) judges.push(judge);
    if (judges.length === 0 && additionalProperties === false)
      return fail(at, unknownProperty(name, schema));
    if (judges.length === 0 && others !== undefined) judges.push(others);
    if (judges.length > 0) at.seen?.names.add(name);
    const inside = atMember(at, name);
    return allValid(judges, at, (judge) => judge(value, inside));
  };
  return ofObject((value, at) =>
    allValid(Object.keys(value), at, (name) => judgeMember(name, value[name], at)),
  );
};

export const required: Rule = ({ required: names }) => {
  if (!Array.isArray(names)) return undefined;
  return ofObject((value, at) => hasAll(value, names, at));
};

function hasAll(value: Members, names: readonly string[], at: Evaluation): boolean {
  return allValid(
    names,
    at,
    (name) => Object.hasOwn(value, name) || fail(at, `must have required property '${name}'`),
  );
}

export const propertyNames: Rule = ({ propertyNames: names }, compiler) => {
  if (names === undefined) return undefined;
  const judge = compiler.judge(names);
  return ofObject((value, at) =>
    allValid(
      Object.keys(value),
      at,
      (name) =>
        judge(name, { ...at, seen: undefined, report: undefined }) ||
        fail(at, `property name '${name}' is not valid`),
    ),
  );
};

/** `dependentRequired`, `dependentSchemas`, and `dependencies`, which was both. */
export const dependencies: Rule = (schema, compiler) => {
  const maps = ['dependentRequired', 'dependentSchemas', 'dependencies'].map(
    (keyword) => schema[keyword] ?? {},
  );
  const entries = maps.flatMap((map) => Object.entries(map));
  if (entries.length === 0) return undefined;
  const judges = entries.map(([name, needed]) => {
    const judge: Judge = Array.isArray(needed)
      ? ofObject((value, at) => hasAll(value, needed, at))
      : compiler.judge(needed);
    return [name, judge] as const;
  });
  return ofObject((value, at) =>
    allValid(judges, at, ([name, judge]) => !Object.hasOwn(value, name) || judge(value, at)),
  );
};

export const unevaluatedProperties: Rule = ({ unevaluatedProperties: rest }, compiler) => {
  if (rest === undefined) return undefined;
  const judge = compiler.judge(rest);
  return ofObject((value, at) => {
    const { seen } = at;
    if (seen === undefined || seen.allNames) return true;
    const names = Object.keys(value).filter((name) => !seen.names.has(name));
    seen.allNames = true;
    if (rest === false) return allValid(names, at, (name) => fail(at, unknownProperty(name)));
    return allValid(names, at, (name) => judge(value[name], atMember(at, name)));
  });
};
