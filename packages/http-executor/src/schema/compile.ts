import { hash } from 'node:crypto';
import { correction, type SchemaViolation } from '@gatehouse/contracts';
import { LRUCache } from 'lru-cache';
import { Piscina } from 'piscina';
import { Cancelled, Refusal } from '../refusal.ts';
import { type InlineCheck, inlineCheck } from './inline.ts';
import { lintSchema } from './lint.ts';
import type { SchemaTask, SchemaVerdict } from './worker.ts';

/** The body of a response: its JSON text, and the value that was read from it. */
export interface JsonBody {
  readonly text: string;
  readonly json: unknown;
}

/** Checks a body; resolves with the violations, none when it is valid. Rejects with `Cancelled`. */
export type ResponseCheck = (body: JsonBody, caller: AbortSignal) => Promise<readonly SchemaViolation[]>;

type Schema = Readonly<Record<string, unknown>>;

/** The stage that turns a caller's schema into a check. */
export interface ResponseSchemas {
  /** Rejects with an `InvalidResponseSchema` refusal when the schema is not usable. */
  compile(schema: Schema): Promise<ResponseCheck>;
  close(): Promise<void>;
}

/** What a caller's schema may cost. Compiling and checking a body have this time each, on a thread of their own. */
export const SCHEMA_BUDGET_MS = 500;

/** A task that its own budget did not stop, such as one that waits in a long queue, is given up after this time. */
const BACKSTOP_MS = 10_000;
const MAX_KNOWN = 1_024;

/** Tasks that wait for a thread; at the time budget that each may take, more would wait longer than the backstop. */
const MAX_QUEUE = 256;

/** How long an unusable schema is remembered: for a while only, since a budget may suffice on a less busy machine. */
const REFUSAL_TTL_MS = 60_000;

/** A schema that was brought before. */
interface Known {
  readonly judged: Promise<TaskResult>;
  uses: number;
  /** For the calling thread; null when there cannot be one. */
  inline?: InlineCheck | null;
}

/**
 * Compiling for the calling thread keeps it busy for some milliseconds: worth it for a schema that comes again and
 * again, and done rarely enough that no series of schemas can keep the thread from its requests.
 */
const INLINE_FROM_USE = 3;
const INLINE_COMPILE_EVERY_MS = 100;

/**
 * Schemas judged by Ajv, draft 2020-12, in warm worker threads: no schema and no response can stall the thread that
 * serves requests or exhaust its memory. Compiling and checking do not share a thread, so that a flood of costly
 * schemas cannot turn requests that were sent into failures. What is known of a schema is kept by content, bounded.
 * Bodies that are valid against a small and plain schema never leave the calling thread.
 */
export function createResponseSchemas(): ResponseSchemas {
  const compiling = createPool();
  const checking = createPool();
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN });

  let compiledInlineAt = Number.NEGATIVE_INFINITY;
  const mayCompileInline = (): boolean => {
    const now = performance.now();
    if (now - compiledInlineAt < INLINE_COMPILE_EVERY_MS) return false;
    compiledInlineAt = now;
    return true;
  };
  /** Shared by all who bring the same schema, and so not cancelled with one of them. */
  const introduce = (key: string, schema: Schema, text: string): Known => {
    const fault = lintSchema(schema, text);
    if (fault !== undefined) throw invalidSchema(fault);
    const entry: Known = { judged: run(compiling, { schema: text }), uses: 0 };
    known.set(key, entry);
    return entry;
  };
  const compile = async (schema: Schema): Promise<ResponseCheck> => {
    const text = JSON.stringify(schema);
    const key = keyOf(text);
    const earlier = known.get(key);
    const entry = earlier ?? introduce(key, schema, text);
    const verdict = await entry.judged;
    if (verdict.kind === 'unchecked' || verdict.kind === 'busy') known.delete(key);
    if (verdict.kind === 'busy') throw tooManySchemas();
    if (verdict.kind === 'invalid_schema') known.set(key, entry, { ttl: REFUSAL_TTL_MS });
    if (verdict.kind !== 'checked') throw invalidSchema(verdict.why);
    entry.uses += 1;
    if (entry.inline === undefined && entry.uses >= INLINE_FROM_USE && mayCompileInline()) {
      entry.inline = inlineCheck(schema, text) ?? null;
    }
    return async (body, caller) => {
      if (entry.inline?.(body)) return [];
      return violationsOf(await run(checking, { schema: text, body: body.text }, caller));
    };
  };
  return {
    compile,
    close: async () => {
      await Promise.all([compiling.destroy(), checking.destroy()]);
    },
  };
}

const MAX_KEY_CHARS = 1_024;

/** A short schema is known by its text, which costs less than a hash; no hash begins with a brace. */
function keyOf(text: string): string {
  return text.length <= MAX_KEY_CHARS ? text : hash('sha256', text, 'base64');
}

type Pool = Piscina<SchemaTask, SchemaVerdict>;

/** What came of a task: a verdict, or none because too many others wait. */
type TaskResult = SchemaVerdict | { readonly kind: 'busy' };

function createPool(): Pool {
  return new Piscina({
    filename: new URL('./worker.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
  });
}

/** Runs a task unless its caller goes away first; a worker that has to be stopped is replaced. */
async function run(pool: Pool, task: Omit<SchemaTask, 'budgetMs'>, caller?: AbortSignal): Promise<TaskResult> {
  // Ours rather than `maxQueue`, which piscina 5 does not hold to.
  if (pool.queueSize >= MAX_QUEUE) return { kind: 'busy' };
  const backstop = AbortSignal.timeout(BACKSTOP_MS);
  const signal = caller === undefined ? backstop : AbortSignal.any([caller, backstop]);
  try {
    return await pool.run({ ...task, budgetMs: SCHEMA_BUDGET_MS }, { signal });
  } catch {
    if (caller?.aborted) throw new Cancelled();
    if (backstop.aborted) return { kind: 'busy' };
    return { kind: 'unchecked', why: 'it needs more time or memory than allowed' };
  }
}

function violationsOf(verdict: TaskResult): readonly SchemaViolation[] {
  if (verdict.kind === 'checked') return verdict.violations;
  const why = verdict.kind === 'busy' ? 'too many others are being checked' : verdict.why;
  return [{ path: '', message: `the body could not be checked: ${why}` }];
}

function tooManySchemas(): Refusal {
  return new Refusal(
    'TooManyRequests',
    'Nothing was sent; send the action again after `retry-after`: too many new response schemas are being compiled.',
  );
}

function invalidSchema(why: string): Refusal {
  const violations = [{ pointer: '/response_schema', message: `is not a usable JSON Schema: ${why}` }];
  return new Refusal('InvalidResponseSchema', correction(violations), violations);
}
