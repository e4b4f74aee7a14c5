import { allValid, type Evaluation, fail, type Judge, Report, type Rule } from './evaluation.ts';

/** Judges without asking for violations. */
const quietly = (at: Evaluation): Evaluation => ({ ...at, report: undefined });

export const allOf: Rule = ({ allOf: schemas }, compiler) => {
  if (schemas === undefined) return undefined;
  const judges = compiler.judges(schemas);
  return (value, at) => allValid(judges, at, (judge) => judge(value, at));
};

/** Branches that are wrong are reported only if none is right. */
function tryBranches(judges: readonly Judge[], value: unknown, at: Evaluation, enough: number) {
  const { path, scope, seen } = at;
  const report = at.report && new Report();
  const branch = { path, scope, seen, report };
  let valid = 0;
  for (const judge of judges) {
    // What no branch after this one evaluates would be missed.
    if (valid >= enough && at.seen === undefined) break;
    if (judge(value, branch)) valid += 1;
  }
  if (valid === 0 && report !== undefined) at.report?.addAll(report);
  return valid;
}

export const anyOf: Rule = ({ anyOf: schemas }, compiler) => {
  if (schemas === undefined) return undefined;
  const judges = compiler.judges(schemas);
  return (value, at) =>
    tryBranches(judges, value, at, 1) > 0 || fail(at, 'must match a schema in anyOf');
};

export const oneOf: Rule = ({ oneOf: schemas }, compiler) => {
  if (schemas === undefined) return undefined;
  const judges = compiler.judges(schemas);
  return (value, at) =>
    tryBranches(judges, value, at, 2) === 1 || fail(at, 'must match exactly one schema in oneOf');
};

export const not: Rule = ({ not: schema }, compiler) => {
  if (schema === undefined) return undefined;
  const judge = compiler.judge(schema);
  return (value, at) =>
    !judge(value, { ...quietly(at), seen: undefined }) || fail(at, 'must NOT be valid');
};

export const conditional: Rule = (schema, compiler) => {
  if (schema.if === undefined) return undefined;
  const condition = compiler.judge(schema.if);
  const [yes, no] = ['then', 'else'].map((keyword) => compiler.judge(schema[keyword] ?? true));
  return (value, at) => {
    const keyword = condition(value, quietly(at)) ? 'then' : 'else';
    const judge = keyword === 'then' ? yes : no;
    return judge?.(value, at) !== false || fail(at, `must match "${keyword}" schema`);
  };
};

export const ref: Rule = (schema, compiler) =>
  schema.$ref === undefined ? undefined : compiler.referred('$ref', schema);

export const dynamicRef: Rule = (schema, compiler) => {
  const keyword = ['$dynamicRef', '$recursiveRef'].find((each) => schema[each] !== undefined);
  return keyword === undefined ? undefined : compiler.dynamic(keyword, schema);
};
