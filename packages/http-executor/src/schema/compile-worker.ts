import { withEngine } from './check.ts';
import { checkMetaSchema, metaValidator } from './meta-schemas.ts';
import { InvalidSchema } from './reading/invalid-schema.ts';
import { type ReadSchema, readSchema } from './reading/read.ts';
import { complexityOf, Starved, TimeBudget } from './time-budget.ts';

// The main module of a thread: what it keeps lives as long as the thread.

const budget = new TimeBudget();

export type CompileResult =
  | { readonly kind: 'compiled'; readonly schema: ReadSchema }
  | 'busy'
  | { readonly kind: 'invalid'; readonly pointer: string; readonly reason: string };

/** Compiles a schema, as JSON text, away from the thread that serves requests. */
export default function compile(text: string): CompileResult {
  try {
    const schema = readSchema(text);
    // Not on the schema's account.
    metaValidator(schema.dialect);
    budget.run(() => checkMetaSchema(schema));
    return { kind: 'compiled', schema: withEngine(schema, budget) };
  } catch (error) {
    return resultOfError(error);
  }
}

/** Messages repeat parts of the schema. */
const MAX_MESSAGE_CHARS = 8 * 1024;

function resultOfError(error: unknown): CompileResult {
  if (error instanceof Starved) return 'busy';
  const pointer = error instanceof InvalidSchema ? error.pointer : '';
  const reason = complexityOf(error) ?? (error as Error).message;
  const cut = (text: string) => text.slice(0, MAX_MESSAGE_CHARS);
  return { kind: 'invalid', pointer: cut(pointer), reason: cut(reason) };
}

// The first compilation is slow: it compiles the meta-schema, too.
compile('{"type":"object","properties":{"id":{"type":"integer"}}}');
