import type { CompileResult, TranslatedSchema } from '@gatehouse/json-schema';
import { JsonText } from '@gatehouse/json-text';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../errors.ts';

export interface CompiledSchema {
  readonly schema: TranslatedSchema;
  /** True if the schema was not in the cache. */
  readonly isNew: boolean;
}

export interface ResponseSchemas {
  /** @throws {Refusal} `InvalidResponseSchema`, or `TooManyRequests` if the threads are too busy */
  compile(schema: object): Promise<CompiledSchema>;
}

const MAX_CACHED = 1_024;
const MAX_CACHED_CHARS = 8 * 1024 * 1024;

/** Default for the maximum size of a `response_schema`. */
export const MAX_SCHEMA_BYTES = 256 * 1024;

type CompileText = (text: string) => Promise<CompileResult | 'busy' | 'beyond limits'>;

/** Compiles schemas, and caches the result of each finished compilation for all callers. */
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
      let compiled = cache.get(text);
      const isNew = compiled === undefined;
      if (compiled === undefined) {
        throwIfTooLarge(text, maxBytes);
        compiled = compileText(text);
        cache.set(text, compiled, { size: text.length });
        compiled.catch(() => cache.delete(text));
      }
      const result = await compiled;
      if (typeof result === 'string') {
        cache.delete(text);
        throw result === 'busy' ? new Refusal('TooManyRequests', BUSY) : invalidSchema(TOO_SLOW);
      }
      if (result.kind === 'invalid') throw invalidSchema(result);
      return { schema: result.schema, isNew };
    },
  };
}

function throwIfTooLarge(text: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  const reason = `the schema is ${bytes} bytes long, but the limit is ${maxBytes}`;
  throw invalidSchema({ pointer: '', reason });
}

const BUSY =
  'Nothing was sent, because too many new response schemas are being compiled; send the action again after the time in `retry-after`.';

const TOO_SLOW = {
  pointer: '',
  reason: 'compiling the schema takes too much time or memory; simplify the schema or leave it out',
};

function invalidSchema({ pointer, reason }: typeof TOO_SLOW): Refusal {
  const message = pointer === '' ? `is not a usable JSON Schema: ${reason}` : reason;
  const violation = { pointer: `/response_schema${pointer}`, message };
  return new Refusal('InvalidResponseSchema', [violation]);
}
