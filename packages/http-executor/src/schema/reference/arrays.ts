import { allValid, atMember, type Evaluation, fail, type Judge, type Rule } from './evaluation.ts';

function ofArray(judge: (value: readonly unknown[], at: Evaluation) => boolean): Judge {
  return (value, at) => !Array.isArray(value) || judge(value, at);
}

/** The first items one by one, and all others; before 2020-12, `items` could be either. */
export const items: Rule = (schema, compiler) => {
  const isTuple = Array.isArray(schema.items);
  const first = isTuple ? schema.items : schema.prefixItems;
  const rest = isTuple ? schema.additionalItems : schema.items;
  if (first === undefined && rest === undefined) return undefined;
  const judges = compiler.judges(first);
  const others = rest === undefined ? undefined : compiler.judge(rest);
  return ofArray((value, at) => {
    const evaluated = others === undefined ? judges.length : Infinity;
    if (at.seen !== undefined) at.seen.itemsBefore = Math.max(at.seen.itemsBefore, evaluated);
    if (rest === false && value.length > judges.length)
      return fail(at, `must NOT have more than ${judges.length} items`);
    return allValid(value.entries(), at, ([index, item]) => {
      const judge = judges[index] ?? others;
      return judge === undefined || judge(item, atMember(at, index));
    });
  });
};

export const contains: Rule = (schema, compiler) => {
  const { contains: wanted, minContains: min = 1, maxContains: max = Infinity } = schema;
  if (wanted === undefined) return undefined;
  const judge = compiler.judge(wanted);
  const evaluates = compiler.isSince2020(schema);
  return ofArray((value, at) => {
    let found = 0;
    for (const [index, item] of value.entries()) {
      if (!judge(item, { ...atMember(at, index), report: undefined })) continue;
      found += 1;
      if (evaluates) at.seen?.items.add(index);
    }
    if (found < Number(min)) return fail(at, `must contain at least ${min} valid item(s)`);
    return found <= Number(max) || fail(at, `must contain at most ${max} valid item(s)`);
  });
};

export const unevaluatedItems: Rule = ({ unevaluatedItems: rest }, compiler) => {
  if (rest === undefined) return undefined;
  const judge = compiler.judge(rest);
  return ofArray((value, at) => {
    const { seen } = at;
    if (seen === undefined) return true;
    const { itemsBefore, items: evaluated } = seen;
    const isLeft = (index: number) => index >= itemsBefore && !evaluated.has(index);
    seen.itemsBefore = Infinity;
    if (rest === false && value.some((_, index) => isLeft(index)))
      return fail(at, 'must NOT have unevaluated items');
    return allValid(
      value.entries(),
      at,
      ([index, item]) => !isLeft(index) || judge(item, atMember(at, index)),
    );
  });
};
