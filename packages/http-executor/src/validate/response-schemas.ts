import { type ActionArguments, summarizeViolations } from '@gatehouse/contracts';
import type { CompileResult, ReadSchema } from '@gatehouse/json-schema';
import { JsonText } from '@gatehouse/json-text';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../errors.ts';

/** A caller's schema that is fit for use. */
export interface CompiledSchema {
  readonly schema: ReadSchema;
  /** Refuses the schema from now on, because checking a body against it took too long. */
  refuseFromNowOn(): void;
}

/** The stage that checks a caller's schema before anything is sent. */
export interface ResponseSchemas {
  /**
   * Takes a `JsonText` or a value.
   * @throws {Refusal} `InvalidResponseSchema`, or `TooManyRequests` when the threads are busy.
   */
  compile(schema: object): Promise<CompiledSchema>;
}

/** The compiled schema of an action that has one; throws as `ResponseSchemas.compile`. */
export async function compileSchema(
  { response_schema }: Pick<ActionArguments, 'response_schema'>,
  schemas: ResponseSchemas,
): Promise<CompiledSchema | undefined> {
  return response_schema == null ? undefined : schemas.compile(response_schema);
}

const MAX_KNOWN = 1_024;
const MAX_KNOWN_CHARS = 8 * 1024 * 1024;

/** Default size limit of a schema as JSON, in bytes. */
export const MAX_SCHEMA_BYTES = 256 * 1024;

/** A refused schema is tried again later, because it may have been slow on a busy machine. */
const REFUSAL_TTL_MS = 60_000;

/**
 * Compiles the text of a schema. `busy`: its turn did not come. `beyond limits`: it needs more
 * time or memory than it may have.
 */
type CompileText = (text: string) => Promise<CompileResult | 'busy' | 'beyond limits'>;

/** Compiles schemas, and remembers the results for all callers. */
export function createResponseSchemas(
  compileText: CompileText,
  maxBytes = MAX_SCHEMA_BYTES,
): ResponseSchemas {
  const known = new LRUCache<string, ReturnType<CompileText>>({
    max: MAX_KNOWN,
    maxSize: MAX_KNOWN_CHARS,
  });
  return {
    compile: async (value) => {
      const { text } = JsonText.of(value);
      const size = text.length;
      const refuseAs = (result: CompileResult | 'beyond limits') =>
        known.set(text, Promise.resolve(result), { ttl: REFUSAL_TTL_MS, size });
      let compiled = known.get(text);
      if (compiled === undefined) {
        throwIfTooLarge(text, maxBytes);
        compiled = compileText(text);
        known.set(text, compiled, { size });
      }
      const result = await compiled;
      if (result === 'busy') {
        known.delete(text);
        throw tooManySchemas();
      }
      if (result === 'beyond limits' || result.kind === 'invalid') {
        refuseAs(result);
        throw invalidSchema(result === 'beyond limits' ? BEYOND_LIMITS : result);
      }
      return { schema: result.schema, refuseFromNowOn: () => refuseAs(SLOW_CHECK) };
    },
  };
}

function throwIfTooLarge(text: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  const reason = `it has ${bytes} bytes, and may have ${maxBytes} at most`;
  throw invalidSchema({ pointer: '', reason });
}

function tooManySchemas(): Refusal {
  return new Refusal(
    'TooManyRequests',
    'Nothing was sent; send the action again after `retry-after`: too many new response schemas are being compiled.',
  );
}

const BEYOND_LIMITS = { pointer: '', reason: 'it needs more time or memory than allowed' };

const SLOW_CHECK: CompileResult = {
  kind: 'invalid',
  pointer: '',
  reason:
    'checking an earlier response against it took more time or memory than allowed; simplify its patterns, alternatives or `uniqueItems`, or leave it out',
};

function invalidSchema({ pointer, reason }: typeof BEYOND_LIMITS): Refusal {
  const message = pointer === '' ? `is not a usable JSON Schema: ${reason}` : reason;
  const violations = [{ pointer: `/response_schema${pointer}`, message }];
  return new Refusal('InvalidResponseSchema', summarizeViolations(violations), violations);
}
