import type { CompileResult, TranslatedSchema } from '@gatehouse/json-schema';
import { JsonText } from '@gatehouse/json-text';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../errors.ts';

/** Schema that is supported and that compiles. Each thread compiles its own validator from it. */
export interface AcceptedSchema {
  readonly schema: TranslatedSchema;
  /** True if the schema was not in the cache. */
  readonly isNew: boolean;
  /** Refuses the schema for a while, because checking a body against it took too long. */
  refuseForAWhile(): void;
}

export interface ResponseSchemas {
  /** @throws {Refusal} `InvalidResponseSchema`, or `TooManyRequests` if the threads are too busy */
  compile(schema: object): Promise<AcceptedSchema>;
}

const MAX_CACHED = 1_024;
const MAX_CACHED_CHARS = 8 * 1024 * 1024;

/** Default for the maximum size of a `response_schema`. */
export const MAX_SCHEMA_BYTES = 256 * 1024;

/** A slow schema is refused only for this long, because the machine may just have been busy. */
const REFUSAL_TTL_MS = 60_000;

type CompileText = (text: string) => Promise<CompileResult | 'busy' | 'beyond limits'>;

/** Compiles schemas, and caches the results for all callers. */
export function createResponseSchemas(
  compileText: CompileText,
  maxBytes = MAX_SCHEMA_BYTES,
): ResponseSchemas {
  const cache = new LRUCache<string, ReturnType<CompileText>>({
    max: MAX_CACHED,
    maxSize: MAX_CACHED_CHARS,
  });
  return {
    compile: async (value) => {
      const { text } = JsonText.of(value);
      const size = text.length;
      const refuseAs = (result: CompileResult | 'beyond limits') =>
        cache.set(text, Promise.resolve(result), { ttl: REFUSAL_TTL_MS, size });
      let compiled = cache.get(text);
      const isNew = compiled === undefined;
      if (compiled === undefined) {
        throwIfTooLarge(text, maxBytes);
        compiled = compileText(text);
        cache.set(text, compiled, { size });
        compiled.catch(() => cache.delete(text));
      }
      const result = await compiled;
      if (result === 'busy') {
        cache.delete(text);
        throw new Refusal(
          'TooManyRequests',
          'Nothing was sent, because too many new response schemas are being compiled; send the action again later.',
        );
      }
      if (result === 'beyond limits' || result.kind === 'invalid') {
        if (isNew) refuseAs(result);
        throw invalidSchema(result === 'beyond limits' ? BEYOND_LIMITS : result);
      }
      return { schema: result.schema, isNew, refuseForAWhile: () => refuseAs(SLOW_CHECK) };
    },
  };
}

function throwIfTooLarge(text: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  const reason = `the schema is ${bytes} bytes long, but the limit is ${maxBytes}`;
  throw invalidSchema({ pointer: '', reason });
}

const BEYOND_LIMITS = {
  pointer: '',
  reason: 'compiling the schema takes too much time or memory; simplify the schema or leave it out',
};

const SLOW_CHECK: CompileResult = {
  kind: 'invalid',
  pointer: '',
  reason:
    'checking an earlier response against the schema took too much time or memory; simplify its patterns, alternatives or `uniqueItems`, or leave the schema out',
};

function invalidSchema({ pointer, reason }: typeof BEYOND_LIMITS): Refusal {
  const message = pointer === '' ? `is not a usable JSON Schema: ${reason}` : reason;
  const violation = { pointer: `/response_schema${pointer}`, message };
  return new Refusal('InvalidResponseSchema', [violation]);
}
