import { compileWithAjv, type ReadSchema } from './ajv.ts';
import { InvalidSchema, quoteValue } from './reading/invalid-schema.ts';
import { checkMetaSchema, metaValidator } from './reading/meta-schemas.ts';
import { isSchema, type Node, pointerTo } from './reading/places.ts';
import { readSchema } from './reading/read.ts';
import { addNullBranches, translate } from './reading/translate.ts';
import { refuseUnsupported } from './reading/unsupported.ts';
import { type Budget, complexityOf, OverBudget, Starved, type TimeBudget } from './time-budget.ts';

export type CompileResult =
  | { readonly kind: 'compiled'; readonly schema: ReadSchema }
  | { readonly kind: 'invalid'; readonly pointer: string; readonly reason: string };

/**
 * Rewrites a schema for Ajv and checks that it compiles. Each step has the whole budget.
 * @throws {OverBudget} @throws {Starved}
 */
export function compileSchemaText(text: string, timer: TimeBudget, budget: Budget): CompileResult {
  try {
    // Outside the budget, because the meta-schema is compiled only once for each dialect.
    metaValidator(timer.run(() => readSchema(text), budget).dialect);
    const schema = timer.run(() => {
      // Read again in each try, because a stopped try leaves its document half rewritten.
      const document = readSchema(text);
      refuseUnsupported(document);
      translate(document);
      checkMetaSchema(document);
      addNullBranches(document);
      return { dialect: document.dialect, text: JSON.stringify(document.schema) };
    }, budget);
    timer.run(() => compileOrLocate(schema, text), budget);
    return { kind: 'compiled', schema };
  } catch (error) {
    if (error instanceof OverBudget || error instanceof Starved) throw error;
    return invalidResult(error as Error);
  }
}

/** Limit for messages, because they repeat parts of the schema. */
const MAX_MESSAGE_CHARS = 8 * 1024;

function invalidResult(error: Error): CompileResult {
  const pointer = error instanceof InvalidSchema ? error.pointer : '';
  const reason = complexityOf(error) ?? error.message;
  const cut = (text: string) => text.slice(0, MAX_MESSAGE_CHARS);
  return { kind: 'invalid', pointer: cut(pointer), reason: cut(reason) };
}

/** @throws {InvalidSchema} with a pointer into the caller's text */
function compileOrLocate(schema: ReadSchema, text: string): void {
  try {
    compileWithAjv(schema, false);
  } catch (error) {
    throw complexityOf(error) === undefined ? locateCompileError(error as Error, text) : error;
  }
}

/** Finds the place of the reference or identifier that Ajv names in its message. */
function locateCompileError({ message }: Error, text: string): InvalidSchema {
  const [, missing] = /^can't resolve reference (.*) from id /s.exec(message) ?? [];
  const isMeant = (value: unknown) =>
    typeof value === 'string' &&
    (missing === undefined ? message.includes(value) : value === missing);
  const names =
    missing === undefined
      ? ['$id', 'id', '$anchor', '$dynamicAnchor']
      : ['$ref', '$dynamicRef', '$recursiveRef'];
  for (const place of readSchema(text).places.filter(isSchema))
    for (const name of names)
      if (isMeant((place.value as Node)[name]))
        return new InvalidSchema(pointerTo(place, name), missing ? notFound(missing) : message);
  return new InvalidSchema('', missing === undefined ? message : notFound(missing));
}

const notFound = (missing: string) =>
  `refers to ${quoteValue(missing)}, which is not in this schema, and nothing is ever fetched; ` +
  'put that schema under `$defs`, with its `$id` if it has one';
