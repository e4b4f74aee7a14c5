import { hash } from 'node:crypto';
import { extname } from 'node:path';
import { type ActionArguments, summarizeViolations } from '@gatehouse/contracts';
import { JsonText } from '@gatehouse/json-text';
import { LRUCache } from 'lru-cache';
import { Piscina } from 'piscina';
import { Refusal } from '../errors.ts';
import type { CompileResult } from './compile-worker.ts';
import { type InlineCheck, inlineCheck } from './inline.ts';
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

export const IDLE_THREAD_MS = 30_000;

/** Stops a task that its budget did not, such as one that waits in a long queue. */
const BACKSTOP_MS = 10_000;
const MAX_KNOWN = 1_024;
const MAX_KNOWN_CHARS = 16 * 1024 * 1024;

/** Bytes of a schema as JSON, where nothing else is asked for. */
export const MAX_SCHEMA_BYTES = 256 * 1024;

/** Tasks that wait for a thread. */
const MAX_QUEUE = 256;

/** An unusable schema is tried again later: it may have missed its budget on a busy machine. */
const REFUSAL_TTL_MS = 60_000;

/** A schema in the cache. */
interface Known {
  readonly judged: Promise<CompileResult>;
  compiled?: CompiledSchema;
  uses: number;
}

/**
 * Compiling on the calling thread blocks it for milliseconds: done for a schema that comes
 * again, and so rarely that no series of schemas can keep the thread from its requests.
 */
const INLINE_FROM_USE = 3;
const INLINE_COMPILE_EVERY_MS = 100;

type Pool = Piscina<string, CompileResult>;

/**
 * Compiles schemas in a thread, so that none can stall the thread that serves requests, or
 * exhaust its memory. Bodies are checked in another one, so that a flood of costly schemas
 * does not fail requests that were sent. Results are cached.
 */
export function createResponseSchemas(maxBytes = MAX_SCHEMA_BYTES): ResponseSchemas {
  const pool = createPool();
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN, maxSize: MAX_KNOWN_CHARS });
  const mayCompileInline = atMostEvery(INLINE_COMPILE_EVERY_MS);
  const compile = async (schema: object): Promise<CompiledSchema> => {
    const { text } = JsonText.of(schema);
    const key = keyOf(text);
    let entry = known.get(key);
    if (entry === undefined) {
      entry = begin(text, pool, maxBytes);
      known.set(key, entry, { size: text.length });
    }
    const result = await entry.judged;
    if (result.kind === 'busy') {
      known.delete(key);
      throw tooManySchemas();
    }
    if (result.kind === 'invalid') {
      known.set(key, entry, { ttl: REFUSAL_TTL_MS, size: text.length });
      throw invalidSchema(result.pointer, result.reason);
    }
    entry.uses += 1;
    entry.compiled ??= compiled(result.schema, entry, mayCompileInline);
    return entry.compiled;
  };
  return { compile, close: () => pool.destroy() };
}

function createPool(): Pool {
  return new Piscina({
    filename: new URL(`./compile-worker${extname(import.meta.url)}`, import.meta.url).href,
    // An idle thread takes 40 MB.
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_THREAD_MS,
    resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
  });
}

/** The compilation is shared by all callers, and so not cancelled with one of them. */
function begin(text: string, pool: Pool, maxBytes: number): Known {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes)
    throw invalidSchema('', `it has ${bytes} bytes, and may have ${maxBytes} at most`);
  return { judged: runCompile(pool, text), uses: 0 };
}

function compiled(
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

async function runCompile(pool: Pool, schema: string): Promise<CompileResult> {
  // piscina 5 does not hold to its own `maxQueue`.
  if (pool.queueSize >= MAX_QUEUE) return { kind: 'busy' };
  const signal = AbortSignal.timeout(BACKSTOP_MS);
  try {
    return await pool.run(schema, { signal });
  } catch {
    if (signal.aborted) return { kind: 'busy' };
    return { kind: 'invalid', pointer: '', reason: 'it needs more time or memory than allowed' };
  }
}

function tooManySchemas(): Refusal {
  return new Refusal(
    'TooManyRequests',
    'Nothing was sent; send the action again after `retry-after`: too many new response schemas are being compiled.',
  );
}

function invalidSchema(pointer: string, reason: string): Refusal {
  const message = pointer === '' ? `is not a usable JSON Schema: ${reason}` : reason;
  const violations = [{ pointer: `/response_schema${pointer}`, message }];
  return new Refusal('InvalidResponseSchema', summarizeViolations(violations), violations);
}
