import { hash } from 'node:crypto';
import { extname } from 'node:path';
import { type ActionArguments, summarizeViolations } from '@gatehouse/contracts';
import { JsonText } from '@gatehouse/json-text';
import { LRUCache } from 'lru-cache';
import { Piscina } from 'piscina';
import { Refusal } from '../errors.ts';
import type { CompileResult, CompileTask } from './compile-worker.ts';
import { type InlineCheck, inlineCheck } from './inline.ts';
import { lintSchema } from './lint.ts';

/** A caller's schema that is fit for use. */
export interface CompiledSchema {
  readonly text: string;
  /**
   * Whether a body is surely valid; false when it is not, or when that has to be found
   * out on another thread.
   */
  admits(body: Buffer): boolean;
}

/** The stage that judges a caller's schema before anything is sent. */
export interface ResponseSchemas {
  /**
   * Takes a `JsonText` or a value. Rejects with an `InvalidResponseSchema` refusal, or
   * with `TooManyRequests` when too many others come.
   */
  compile(schema: object): Promise<CompiledSchema>;
  close(): Promise<void>;
}

/**
 * The schema of an action, compiled; undefined when it has none. Rejects as
 * `ResponseSchemas.compile` does.
 */
export async function compileSchema(
  { response_schema }: Pick<ActionArguments, 'response_schema'>,
  schemas: ResponseSchemas,
): Promise<CompiledSchema | undefined> {
  return response_schema == null ? undefined : schemas.compile(response_schema);
}

/**
 * What a caller's schema may cost. Compiling and checking a body have this time each, on
 * a thread of their own.
 */
export const SCHEMA_BUDGET_MS = 500;

/** How long a thread waits for its next task. */
export const IDLE_THREAD_MS = 30_000;

/**
 * A task that its own budget did not stop, such as one that waits in a long queue, is
 * given up after this time.
 */
const BACKSTOP_MS = 10_000;
const MAX_KNOWN = 1_024;

/**
 * Tasks that wait for a thread; at the time budget that each may take, more would wait
 * longer than the backstop.
 */
const MAX_QUEUE = 256;

/**
 * How long an unusable schema is remembered: for a while only, since a budget may suffice
 * on a less busy machine.
 */
const REFUSAL_TTL_MS = 60_000;

/** A schema that was brought before. */
interface Known extends CompiledSchema {
  readonly judged: Promise<CompileResult>;
  uses: number;
  /** For the calling thread; null when there cannot be one. */
  inline?: InlineCheck | null;
}

/**
 * Compiling for the calling thread keeps it busy for some milliseconds: worth it for a
 * schema that comes again and again, and done rarely enough that no series of schemas can
 * keep the thread from its requests.
 */
const INLINE_FROM_USE = 3;
const INLINE_COMPILE_EVERY_MS = 100;

type Pool = Piscina<CompileTask, CompileResult>;

/**
 * Schemas judged by Ajv, draft 2020-12, in a worker thread: no schema can stall the
 * thread that serves requests or exhaust its memory. Bodies are not checked there, so
 * that a flood of costly schemas cannot turn requests that were sent into failures. What
 * is known of a schema is kept by content, bounded.
 */
export function createResponseSchemas(): ResponseSchemas {
  const pool: Pool = new Piscina({
    // TypeScript here, JavaScript in a build.
    filename: new URL(`./compile-worker${extname(import.meta.url)}`, import.meta.url).href,
    // Only while there is work for it: an idle thread with its validator takes 40 MB.
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_THREAD_MS,
    resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
  });
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN });
  const mayCompileInline = atMostEvery(INLINE_COMPILE_EVERY_MS);

  /** Shared by all who bring the same schema, and so not cancelled with one of them. */
  const introduce = (key: string, text: string): Known => {
    const { schema, fault, pointer = '' } = lintSchema(text);
    if (fault !== undefined) throw invalidSchema(pointer, fault);
    const entry: Known = {
      text,
      judged: runCompile(pool, text),
      uses: 0,
      admits: (body) => {
        if (entry.inline === undefined && entry.uses >= INLINE_FROM_USE && mayCompileInline()) {
          entry.inline = inlineCheck(schema, text) ?? null;
        }
        return entry.inline?.(body) ?? false;
      },
    };
    known.set(key, entry);
    return entry;
  };
  const compile = async (schema: object): Promise<CompiledSchema> => {
    const { text } = JsonText.of(schema);
    const key = keyOf(text);
    const entry = known.get(key) ?? introduce(key, text);
    const result = await entry.judged;
    if (result.kind === 'busy') {
      known.delete(key);
      throw tooManySchemas();
    }
    if (result.kind === 'invalid') {
      known.set(key, entry, { ttl: REFUSAL_TTL_MS });
      throw invalidSchema(result.pointer, result.why);
    }
    entry.uses += 1;
    return entry;
  };
  return { compile, close: () => pool.destroy() };
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

/**
 * A short schema is known by its text, which costs less than a hash; no hash begins with
 * a brace.
 */
function keyOf(text: string): string {
  return text.length <= MAX_KEY_CHARS ? text : hash('sha256', text, 'base64');
}

async function runCompile(pool: Pool, schema: string): Promise<CompileResult> {
  // Ours rather than `maxQueue`, which piscina 5 does not hold to.
  if (pool.queueSize >= MAX_QUEUE) return { kind: 'busy' };
  const signal = AbortSignal.timeout(BACKSTOP_MS);
  try {
    return await pool.run({ schema, budgetMs: SCHEMA_BUDGET_MS }, { signal });
  } catch {
    if (signal.aborted) return { kind: 'busy' };
    return { kind: 'invalid', pointer: '', why: 'it needs more time or memory than allowed' };
  }
}

function tooManySchemas(): Refusal {
  return new Refusal(
    'TooManyRequests',
    'Nothing was sent; send the action again after `retry-after`: too many new response schemas are being compiled.',
  );
}

function invalidSchema(pointer: string, why: string): Refusal {
  const where = pointer === '' ? `is not a usable JSON Schema: ${why}` : why;
  const violations = [{ pointer: `/response_schema${pointer}`, message: where }];
  return new Refusal('InvalidResponseSchema', summarizeViolations(violations), violations);
}
