import { checkMetaSchema, metaValidator } from './meta-schemas.ts';
import { type ReadSchema, readSchema } from './reading/read.ts';
import { type Refused, refused, tryCompile } from './try-compile.ts';

export type CompileResult = { readonly kind: 'compiled'; readonly schema: ReadSchema } | Refused;

/** Compiles a schema, as JSON text, away from the thread that serves requests. */
export default function compile(text: string): CompileResult {
  try {
    const schema = readSchema(text);
    // Not on the schema's account.
    metaValidator(schema.dialect);
    const result = tryCompile(schema, checkMetaSchema);
    return result.kind === 'compiled' ? { kind: 'compiled', schema } : result;
  } catch (error) {
    return refused(error);
  }
}

// The first compilation is slow: it compiles the meta-schema, too.
compile('{"type":"object","properties":{"id":{"type":"integer"}}}');
