import { compile, type ReadSchema } from './ajv.ts';
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
 * Checks that a schema, given as JSON text, can be used; each step may take the budget.
 * @throws {OverBudget} @throws {Starved}
 */
export function compileSchemaText(text: string, timer: TimeBudget, budget: Budget): CompileResult {
  try {
    // Compiled once for all schemas of a dialect, so it does not count against this one.
    metaValidator(timer.run(() => readSchema(text), budget).dialect);
    const schema = timer.run(() => {
      // Read again by each try, because a try that is stopped leaves its document half rewritten.
      const document = readSchema(text);
      refuseUnsupported(document);
      translate(document);
      checkMetaSchema(document);
      addNullBranches(document);
      return { dialect: document.dialect, text: JSON.stringify(document.schema) };
    }, budget);
    timer.run(() => compileOrPlace(schema, text), budget);
    return { kind: 'compiled', schema };
  } catch (error) {
    if (error instanceof OverBudget || error instanceof Starved) throw error;
    return invalid(error as Error);
  }
}

/** Messages repeat parts of the schema. */
const MAX_MESSAGE_CHARS = 8 * 1024;

function invalid(error: Error): CompileResult {
  const pointer = error instanceof InvalidSchema ? error.pointer : '';
  const reason = complexityOf(error) ?? error.message;
  const cut = (text: string) => text.slice(0, MAX_MESSAGE_CHARS);
  return { kind: 'invalid', pointer: cut(pointer), reason: cut(reason) };
}

/** @throws {InvalidSchema} with a place in the caller's text. */
function compileOrPlace(schema: ReadSchema, text: string): void {
  try {
    compile(schema, false);
  } catch (error) {
    throw complexityOf(error) === undefined ? placed(error as Error, text) : error;
  }
}

/** Ajv names the reference or identifier that it cannot use, but not its place. */
function placed({ message }: Error, text: string): InvalidSchema {
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
  `refers to ${quoteValue(missing)}, which is not in this schema, and nothing is fetched; ` +
  'put that schema under `$defs`, with its `$id` if it has one';
