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
import type { BodyFacts } from '../decode/decode.ts';
import { MAX_JSON_DEPTH } from '../limits.ts';
import type { RedactedBody } from '../redact/redact.ts';
import { prepareSearch } from '../redact/search.ts';
import type { Credentials } from '../redact/secrets.ts';
import { decodeValidateRedact } from './decode-validate-redact.ts';
import type { Job, Unfinished } from './pools.ts';

// The program of each worker thread.

export interface BodyTask extends BodyFacts {
  readonly bytes: Uint8Array;
  readonly credentials: Credentials;
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

export const examine = (job: Job<BodyTask>): RedactedBody | Unfinished =>
  perform(job, (task) => {
    const { bytes, credentials, schema, maxParsedBytes } = task;
    const limits = { maxParsedBytes, maxDepth: MAX_JSON_DEPTH, budget: job.budget };
    return decodeValidateRedact(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      ...task,
      search: prepareSearch(credentials),
      check: schema && ((document) => cachedCheck(schema).violationsIn(document, limits)),
    });
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
