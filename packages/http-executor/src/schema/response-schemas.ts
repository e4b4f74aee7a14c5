import { createHash } from 'node:crypto';
import { correction, type SchemaViolation } from '@gatehouse/contracts';
import { LRUCache } from 'lru-cache';
import { Piscina } from 'piscina';
import { Refusal } from '../refusal.ts';
import { lintSchema } from './lint.ts';
import type { SchemaTask, SchemaVerdict } from './worker.ts';

/** Checks the JSON text of a response body; resolves with the violations, none when it is valid. */
export type ResponseCheck = (body: string) => Promise<readonly SchemaViolation[]>;

/** The stage that turns a caller's schema into a check. */
export interface ResponseSchemas {
  /** Rejects with an `InvalidResponseSchema` refusal when the schema is not usable. */
  compile(schema: Readonly<Record<string, unknown>>): Promise<ResponseCheck>;
  close(): Promise<void>;
}

/** What a caller's schema may cost. Compiling and checking a body have this time each, on a thread of their own. */
export const SCHEMA_BUDGET_MS = 500;

/** A task that its own budget did not stop, such as one that waits in a long queue, is given up after this time. */
const BACKSTOP_MS = 10_000;
const MAX_KNOWN = 1_024;

/**
 * Schemas judged by Ajv, draft 2020-12, in warm worker threads: no schema and no response can stall the thread that
 * serves requests or exhaust its memory. Which schemas are usable is remembered by content in a bounded cache.
 */
export function createResponseSchemas(): ResponseSchemas {
  const pool = new Piscina<SchemaTask, SchemaVerdict>({
    filename: new URL('./worker.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: 2,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
  });
  const known = new LRUCache<string, Promise<SchemaVerdict>>({ max: MAX_KNOWN });

  const run = (task: Omit<SchemaTask, 'budgetMs'>): Promise<SchemaVerdict> =>
    pool
      .run({ ...task, budgetMs: SCHEMA_BUDGET_MS }, { signal: AbortSignal.timeout(BACKSTOP_MS) })
      .catch(() => ({ kind: 'unchecked', why: 'it needs more time or memory than allowed' }) as const);

  const compile = async (schema: Readonly<Record<string, unknown>>): Promise<ResponseCheck> => {
    const text = JSON.stringify(schema);
    const fault = lintSchema(schema, text);
    if (fault !== undefined) throw invalidSchema(fault);
    const key = createHash('sha256').update(text).digest('base64');
    const compiling = known.get(key) ?? run({ schema: text });
    known.set(key, compiling);
    const verdict = await compiling;
    if (verdict.kind !== 'checked') {
      // Not remembered: time and memory may suffice on a less busy machine.
      known.delete(key);
      throw invalidSchema(verdict.why);
    }
    return async (body) => violationsOf(await run({ schema: text, body }));
  };
  return { compile, close: () => pool.destroy() };
}

function violationsOf(verdict: SchemaVerdict): readonly SchemaViolation[] {
  if (verdict.kind === 'checked') return verdict.violations;
  return [{ path: '', message: `the body could not be checked: ${verdict.why}` }];
}

function invalidSchema(why: string): Refusal {
  const violations = [{ pointer: '/response_schema', message: `is not a usable JSON Schema: ${why}` }];
  return new Refusal('InvalidResponseSchema', correction(violations), violations);
}
