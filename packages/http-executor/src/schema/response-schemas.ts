import { hash } from 'node:crypto';
import { extname } from 'node:path';
import { type ActionArguments, summarizeViolations } from '@gatehouse/contracts';
import { JsonText } from '@gatehouse/json-text';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../errors.ts';
import { createThread, type NoResult } from '../thread.ts';
import type { CompileResult } from './compile-worker.ts';
import { type InlineCheck, inlineCheck } from './inline-check.ts';
import type { ReadSchema } from './reading/read.ts';

/** A caller's schema that is fit for use. */
export interface CompiledSchema {
  readonly schema: ReadSchema;
  /** Whether a body is surely valid and unambiguous; false: a thread has to find out. */
  admits(body: Buffer): boolean;
}

/** The stage that judges a caller's schema before anything is sent. */
export interface ResponseSchemas {
  /**
   * Takes a `JsonText` or a value.
   * @throws {Refusal} `InvalidResponseSchema`, or `TooManyRequests` when the threads are busy.
   */
  compile(schema: object): Promise<CompiledSchema>;
  close(): Promise<void>;
}

/** The compiled schema of an action that has one; throws as `ResponseSchemas.compile`. */
export async function compileSchema(
  { response_schema }: Pick<ActionArguments, 'response_schema'>,
  schemas: ResponseSchemas,
): Promise<CompiledSchema | undefined> {
  return response_schema == null ? undefined : schemas.compile(response_schema);
}

const HEAP_MB = 96;
const MAX_KNOWN = 1_024;
const MAX_KNOWN_CHARS = 16 * 1024 * 1024;

/** Bytes of a schema as JSON, where nothing else is asked for. */
export const MAX_SCHEMA_BYTES = 256 * 1024;

/** An unusable schema is tried again later: it may have missed its budget on a busy machine. */
const REFUSAL_TTL_MS = 60_000;

/** A schema in the cache. */
interface Known {
  readonly judged: Promise<CompileResult | NoResult>;
  compiled?: CompiledSchema;
  uses: number;
}

/**
 * Compiling on the calling thread blocks it for milliseconds: done for a schema that comes
 * again, and so rarely that no series of schemas can keep the thread from its requests.
 */
const INLINE_FROM_USE = 3;
const INLINE_COMPILE_EVERY_MS = 100;

/**
 * Compiles schemas in a thread, so that none can stall the thread that serves requests, or
 * exhaust its memory. Bodies are checked in another one, so that a flood of costly schemas
 * does not fail requests that were sent. Results are cached.
 */
export function createResponseSchemas(maxBytes = MAX_SCHEMA_BYTES): ResponseSchemas {
  const thread = createThread<string, CompileResult>(
    new URL(`./compile-worker${extname(import.meta.url)}`, import.meta.url),
    HEAP_MB,
  );
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN, maxSize: MAX_KNOWN_CHARS });
  const mayCompileInline = atMostEvery(INLINE_COMPILE_EVERY_MS);
  const compile = async (schema: object): Promise<CompiledSchema> => {
    const { text } = JsonText.of(schema);
    const key = keyOf(text);
    let entry = known.get(key);
    if (entry === undefined) {
      throwIfTooLarge(text, maxBytes);
      // Shared by all callers, and so not cancelled with one of them.
      entry = { judged: thread.run(text), uses: 0 };
      known.set(key, entry, { size: text.length });
    }
    const result = await entry.judged;
    if (result === 'busy') {
      known.delete(key);
      throw tooManySchemas();
    }
    if (result === 'beyond limits' || result.kind === 'invalid') {
      known.set(key, entry, { ttl: REFUSAL_TTL_MS, size: text.length });
      throw invalidSchema(result === 'beyond limits' ? BEYOND_LIMITS : result);
    }
    entry.uses += 1;
    entry.compiled ??= withInlineCheck(result.schema, entry, mayCompileInline);
    return entry.compiled;
  };
  return { compile, close: thread.close };
}

function throwIfTooLarge(text: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  const reason = `it has ${bytes} bytes, and may have ${maxBytes} at most`;
  throw invalidSchema({ pointer: '', reason });
}

function withInlineCheck(
  schema: ReadSchema,
  entry: Known,
  mayCompileInline: () => boolean,
): CompiledSchema {
  /** For the calling thread; null: there cannot be one. */
  let inline: InlineCheck | null | undefined;
  return {
    schema,
    admits: (body) => {
      if (inline === undefined && entry.uses >= INLINE_FROM_USE && mayCompileInline())
        inline = (schema.engine === 'ajv' && inlineCheck(schema.text)) || null;
      return inline?.(body) ?? false;
    },
  };
}

function atMostEvery(ms: number): () => boolean {
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - latest < ms) return false;
    latest = now;
    return true;
  };
}

const MAX_KEY_CHARS = 1_024;

/** A short text is its own key, which is faster than a hash; no hash begins with a brace. */
function keyOf(text: string): string {
  return text.length <= MAX_KEY_CHARS ? text : hash('sha256', text, 'base64');
}

function tooManySchemas(): Refusal {
  return new Refusal(
    'TooManyRequests',
    'Nothing was sent; send the action again after `retry-after`: too many new response schemas are being compiled.',
  );
}

const BEYOND_LIMITS = { pointer: '', reason: 'it needs more time or memory than allowed' };

function invalidSchema({ pointer, reason }: typeof BEYOND_LIMITS): Refusal {
  const message = pointer === '' ? `is not a usable JSON Schema: ${reason}` : reason;
  const violations = [{ pointer: `/response_schema${pointer}`, message }];
  return new Refusal('InvalidResponseSchema', summarizeViolations(violations), violations);
}
