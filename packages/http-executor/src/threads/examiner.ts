import { extname } from 'node:path';
import { type CompileResult, SCHEMA_BUDGET_MS, unchecked } from '@gatehouse/json-schema';
import { type BodyFacts, MAX_BEGINNING_BYTES } from '../decode/decode.ts';
import { type RedactedBody, withheld } from '../redact/redact.ts';
import type { Redactor } from '../redact/redactor.ts';
import {
  type CompiledSchema,
  createResponseSchemas,
  type ResponseSchemas,
} from '../validate/response-schemas.ts';
import { decodeValidateRedact } from './decode-validate-redact.ts';
import { createThreads, isUnfinished, type Unfinished } from './pools.ts';
import type { BodyTask } from './worker.ts';

/** A body as it was received. */
export interface BodyToExamine extends BodyFacts {
  readonly bytes: Buffer;
  readonly redactor: Redactor;
  readonly schema: CompiledSchema | undefined;
}

/** Runs decode → validate → redact, and compiles the schemas for it. */
export interface Examiner extends ResponseSchemas {
  decodeValidateRedact(body: BodyToExamine): Promise<RedactedBody>;
  close(): Promise<void>;
}

/** Up to this size, a body is examined (20 ns a byte) faster than a thread is asked. */
const MAX_INLINE_BYTES = 256 * 1024;

const MIB = 1024 * 1024;

const WORKER_HEAP_MB = 96;

/**
 * A parsed body may take six times the response limit; with its bytes, text and answer
 * that makes about eight (contract section 3, "Bounds").
 */
const PARSED_TIMES = 6;
const MIN_PARSED_BYTES = 8 * MIB;

/**
 * Work that the quick thread does, in bytes to look at. Larger bodies go to a slow thread, because
 * reading them takes longer than any slice.
 */
const MAX_QUICK_BYTES = MIB / 2;
/** Budget of a check on the quick thread; most take a millisecond. */
const CHECK_SLICE_MS = 25;

/** Budget of a new schema on the quick thread; most take less than 10 ms. */
const COMPILE_SLICE_MS = 25;
/** A flood of new schemas is refused at once rather than after ten seconds. */
const MAX_WAITING_SCHEMAS = 256;

const BUSY = withheld(
  'could not be examined, because this executor has too many other bodies to examine',
);
const BEYOND_LIMITS = withheld('could not be examined within the limits of time and memory');

/** Examines small bodies at once, and others on threads, so that none blocks callers. */
export function createExaminer(maxResponseBytes: number, maxSchemaBytes?: number): Examiner {
  const maxParsedBytes = Math.max(MIN_PARSED_BYTES, PARSED_TIMES * maxResponseBytes);
  const threads = createThreads(
    // TypeScript here, JavaScript in a build.
    new URL(`./worker${extname(import.meta.url)}`, import.meta.url),
    WORKER_HEAP_MB + Math.ceil(maxParsedBytes / MIB),
  );
  const onThread = (body: BodyToExamine) =>
    threads.run<RedactedBody>('examine', taskOf(body, maxParsedBytes), {
      sliceMs: workOf(body) > MAX_QUICK_BYTES ? 0 : CHECK_SLICE_MS,
      budgetMs: SCHEMA_BUDGET_MS * Math.max(1, body.bytes.length / MIB),
    });
  const compileText = (text: string) =>
    threads.run<CompileResult>('compile', text, {
      sliceMs: COMPILE_SLICE_MS,
      budgetMs: SCHEMA_BUDGET_MS,
      maxWaiting: MAX_WAITING_SCHEMAS,
    });
  return {
    ...createResponseSchemas(compileText, maxSchemaBytes),
    decodeValidateRedact: async (received) => {
      const body = beginningIfCut(received);
      if (isInline(body)) return inline(body);
      const examined = await onThread(body);
      if (examined !== 'beyond limits' || body.schema === undefined) return orWithheld(examined);
      // A schema that is slow on a small body is slow on any; a large body may be to blame itself.
      if (body.bytes.length <= MIB) body.schema.refuseFromNowOn();
      return asUnchecked(orWithheld(await onThread({ ...body, schema: undefined })));
    },
    close: threads.close,
  };
}

function beginningIfCut(body: BodyToExamine): BodyToExamine {
  return body.cut ? { ...body, bytes: body.bytes.subarray(0, MAX_BEGINNING_BYTES) } : body;
}

function isInline(body: BodyToExamine): boolean {
  return body.schema === undefined && workOf(body) <= MAX_INLINE_BYTES;
}

/** Bytes to look at: a body is searched for every secret. */
function workOf({ bytes, redactor }: BodyToExamine): number {
  return bytes.length * Math.max(1, redactor.credentials.secrets.length);
}

function inline({ bytes, redactor, ...facts }: BodyToExamine): RedactedBody {
  return decodeValidateRedact(bytes, { ...facts, search: redactor.search, check: undefined });
}

function taskOf({ redactor, schema, ...body }: BodyToExamine, maxParsedBytes: number): BodyTask {
  return { ...body, credentials: redactor.credentials, schema: schema?.schema, maxParsedBytes };
}

function orWithheld(examined: RedactedBody | Unfinished): RedactedBody {
  if (!isUnfinished(examined)) return examined;
  return examined === 'busy' ? BUSY : BEYOND_LIMITS;
}

/** The body is shown, and its schema is said to have taken too long. */
function asUnchecked(examined: RedactedBody): RedactedBody {
  if (!('violations' in examined)) return examined;
  return { ...examined, violations: unchecked('it takes longer than its time budget') };
}
