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

export interface BodyToExamine extends BodyFacts {
  readonly bytes: Buffer;
  readonly redactor: Redactor;
  readonly schema: CompiledSchema | undefined;
}

export interface Examiner extends ResponseSchemas {
  decodeValidateRedact(body: BodyToExamine): Promise<RedactedBody>;
  close(): Promise<void>;
}

/** Up to this size, examining a body (20 ns per byte) is faster than sending it to a thread. */
const MAX_INLINE_BYTES = 256 * 1024;

const MIB = 1024 * 1024;

const WORKER_HEAP_MB = 96;

/**
 * Parsed body memory, in multiples of the response limit. With the bytes, text and answer of the
 * body, this makes about eight (docs/contract.md, "Bounds").
 */
const PARSED_SIZE_FACTOR = 6;
const MIN_PARSED_BYTES = 8 * MIB;

/** Larger bodies skip the quick thread, because they always take longer than its slice. */
const MAX_QUICK_BYTES = MIB / 2;
/** Slice of a check on the quick thread. Most checks take a millisecond. */
const CHECK_SLICE_MS = 25;

/** Slice of a new schema on the quick thread. Most schemas take less than 10 ms. */
const COMPILE_SLICE_MS = 25;
/** Further new schemas are refused at once instead of after ten seconds. */
const MAX_WAITING_SCHEMAS = 256;

const BUSY = withheld(
  'could not be examined, because this executor has too many other bodies to examine',
);
const BEYOND_LIMITS = withheld('could not be examined within the limits of time and memory');

/** Examines small bodies inline and others on threads, so that none of them blocks callers. */
export function createExaminer(maxResponseBytes: number, maxSchemaBytes?: number): Examiner {
  const maxParsedBytes = Math.max(MIN_PARSED_BYTES, PARSED_SIZE_FACTOR * maxResponseBytes);
  const threads = createThreads(
    // The worker is TypeScript in the source and JavaScript in a build.
    new URL(`./worker${extname(import.meta.url)}`, import.meta.url),
    WORKER_HEAP_MB + Math.ceil(maxParsedBytes / MIB),
  );
  const onThread = (body: BodyToExamine) =>
    threads.run<RedactedBody>('examine', toTask(body, maxParsedBytes), {
      sliceMs: bytesToSearch(body) > MAX_QUICK_BYTES ? 0 : CHECK_SLICE_MS,
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
      if (isInline(body)) return examineInline(body);
      const examined = await onThread(body);
      if (examined !== 'beyond limits' || body.schema === undefined) return orWithheld(examined);
      // A large body may be slow with any schema, but a small one must not be.
      if (body.bytes.length <= MIB) body.schema.refuseForAWhile();
      return markUnchecked(orWithheld(await onThread({ ...body, schema: undefined })));
    },
    close: threads.close,
  };
}

function beginningIfCut(body: BodyToExamine): BodyToExamine {
  return body.cut ? { ...body, bytes: body.bytes.subarray(0, MAX_BEGINNING_BYTES) } : body;
}

function isInline(body: BodyToExamine): boolean {
  return body.schema === undefined && bytesToSearch(body) <= MAX_INLINE_BYTES;
}

/** Counts the bytes to search; each secret needs its own pass. */
function bytesToSearch({ bytes, redactor }: BodyToExamine): number {
  return bytes.length * Math.max(1, redactor.credentials.secrets.length);
}

function examineInline({ bytes, redactor, ...facts }: BodyToExamine): RedactedBody {
  return decodeValidateRedact(bytes, { ...facts, search: redactor.search, check: undefined });
}

function toTask({ redactor, schema, ...body }: BodyToExamine, maxParsedBytes: number): BodyTask {
  return { ...body, credentials: redactor.credentials, schema: schema?.schema, maxParsedBytes };
}

function orWithheld(examined: RedactedBody | Unfinished): RedactedBody {
  if (!isUnfinished(examined)) return examined;
  return examined === 'busy' ? BUSY : BEYOND_LIMITS;
}

/** Reports that the schema took too long, and still shows the body. */
function markUnchecked(examined: RedactedBody): RedactedBody {
  if (!('violations' in examined)) return examined;
  return { ...examined, violations: unchecked('it takes longer than its time budget') };
}
