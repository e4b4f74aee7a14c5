import {
  type CompileResult,
  compileSchemaText,
  OverBudget,
  type ReadSchema,
  SchemaCheck,
  Starved,
  TimeBudget,
} from '@gatehouse/json-schema';
import { LRUCache } from 'lru-cache';
import { type BodyFacts, decode, toJson } from '../decode/decode.ts';
import { MAX_JSON_DEPTH } from '../limits.ts';
import { type RedactedBody, redact } from '../redact/redact.ts';
import { prepareSearch } from '../redact/scrub.ts';
import type { RequestSecrets } from '../redact/secrets.ts';
import { ownBytes } from './own-bytes.ts';
import type { Job, Unfinished } from './pools.ts';

// Each worker thread runs this module.

export interface BodyTask extends BodyFacts {
  readonly bytes: Uint8Array;
  readonly requestSecrets: RequestSecrets;
  /** True if the schema must not test a secret, because the caller does not know it. */
  readonly hidesCredential: boolean;
  readonly schema: ReadSchema | undefined;
  readonly maxParsedBytes: number;
}

const timer = new TimeBudget();
const checks = new LRUCache<string, SchemaCheck>({ max: 64, maxSize: 512 * 1024 });

function cachedCheck(schema: ReadSchema): SchemaCheck {
  const key = `${schema.dialect} ${schema.text}`;
  const check = checks.get(key) ?? new SchemaCheck(schema, timer);
  checks.set(key, check, { size: key.length });
  return check;
}

export const compile = (job: Job<string>): CompileResult | Unfinished =>
  perform(job, (text) => compileSchemaText(text, timer, job.budget));

/**
 * Decodes, validates and redacts a body in one job, so that the body is copied to the thread only
 * once.
 */
export const examine = (job: Job<BodyTask>): RedactedBody | Unfinished =>
  perform(job, (task) => {
    const { bytes, requestSecrets, hidesCredential, schema, maxParsedBytes } = task;
    const limits = { maxParsedBytes, maxDepth: MAX_JSON_DEPTH, budget: job.budget };
    const decoded = decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), task);
    const shown = redact(decoded, prepareSearch(requestSecrets), (body, redacted) => {
      if (schema === undefined) return [];
      // If an upstream echoes the executor's credential, a caller could guess it character by
      // character with the `pattern` of a schema. We therefore check the redacted body.
      const json = hidesCredential ? redacted : toJson(body);
      return cachedCheck(schema).violationsIn(json, limits);
    });
    return 'json' in shown ? { ...shown, json: ownBytes(shown.json) } : shown;
  });

function perform<Task, Result>(
  { task, expires }: Job<Task>,
  work: (task: Task) => Result,
): Result | Unfinished {
  if (Date.now() > expires) return 'busy';
  try {
    return work(task);
  } catch (error) {
    if (error instanceof OverBudget) return 'beyond limits';
    if (error instanceof Starved) return 'busy';
    throw error;
  }
}
