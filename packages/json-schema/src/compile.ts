import { compileWithAjv, type TranslatedSchema } from './ajv.ts';
import { InvalidSchema, quoteValue } from './reading/invalid-schema.ts';
import { checkMetaSchema, compileMetaSchema } from './reading/meta-schemas.ts';
import { isSchema, type Node, pointerTo } from './reading/places.ts';
import { readSchema, type SchemaDocument } from './reading/read.ts';
import { refuseUnsupported } from './reading/refusals.ts';
import { translate } from './reading/translate.ts';
import { type Budget, OverBudget, Starved, type TimeBudget, TOO_COMPLEX } from './time-budget.ts';

export type CompileResult =
  | { readonly kind: 'compiled'; readonly schema: TranslatedSchema }
  | { readonly kind: 'invalid'; readonly pointer: string; readonly reason: string };

/**
 * Translates the text of a schema, and compiles it once to find mistakes. `SchemaCheck` compiles it
 * again on the thread that checks bodies. Each step has its own time limit.
 * @throws {OverBudget | Starved} if a step takes too long
 */
export function compileSchemaText(text: string, timer: TimeBudget, budget: Budget): CompileResult {
  const run = <T>(step: () => T) => timer.run(step, budget);
  try {
    const document = run(() => readSchema(text));
    // Compile the meta-schema without a time limit, because it is compiled only once per draft.
    const metaSchema = compileMetaSchema(document.dialect);
    const schema = run(() => {
      // Call `refuseUnsupported` first, because its messages are the most helpful.
      refuseUnsupported(document);
      checkMetaSchema(document, metaSchema);
      return translate(document);
    });
    run(() => compileOrLocate(schema, document));
    return { kind: 'compiled', schema };
  } catch (error) {
    if (error instanceof OverBudget || error instanceof Starved) throw error;
    return invalidResult(error as Error);
  }
}

/** Maximum length of error messages and pointers, which can contain long texts from a schema. */
const MAX_MESSAGE_CHARS = 8 * 1024;

function invalidResult(error: Error): CompileResult {
  const pointer = error instanceof InvalidSchema ? error.pointer : '';
  const reason = error instanceof RangeError ? TOO_COMPLEX : error.message;
  const cut = (text: string) => text.slice(0, MAX_MESSAGE_CHARS);
  return { kind: 'invalid', pointer: cut(pointer), reason: cut(reason) };
}

/** Compiles a schema. @throws {InvalidSchema} with a pointer to the mistake */
function compileOrLocate(schema: TranslatedSchema, document: SchemaDocument): void {
  try {
    compileWithAjv(schema, false);
  } catch (error) {
    throw error instanceof RangeError ? error : locateCompileError(error as Error, document);
  }
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];
const IDENTIFIERS = ['$id', 'id', '$anchor', '$dynamicAnchor'];

/** Returns an error that points to the reference or identifier named in Ajv's message. */
function locateCompileError({ message }: Error, { places }: SchemaDocument): InvalidSchema {
  const [, missing] = /^can't resolve reference (.*) from id /s.exec(message) ?? [];
  const [keywords, reason] =
    missing === undefined ? [IDENTIFIERS, message] : [REFERENCES, notFound(missing)];
  const isNamed = (value: string) =>
    missing === undefined ? message.includes(value) : value === missing;
  for (const place of [...places.values()].filter(isSchema))
    for (const name of keywords) {
      const value = (place.value as Node)[name];
      if (typeof value === 'string' && isNamed(value))
        return new InvalidSchema(pointerTo(place, name), reason);
    }
  return new InvalidSchema('', reason);
}

const notFound = (missing: string) =>
  `refers to ${quoteValue(missing)}, which is not part of this schema and is never fetched; ` +
  `add the missing schema ${missing.startsWith('#') ? 'at that place' : 'under `$defs`, with its `$id`'}`;
