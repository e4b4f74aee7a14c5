import { extname } from 'node:path';
import { SCHEMA_BUDGET_MS, unchecked } from '@gatehouse/json-schema';
import type { Redactor } from '../redact/redactor.ts';
import { createThreads, type NoResult } from '../threads.ts';
import { type BodyFacts, MAX_BEGINNING_BYTES } from './decode.ts';
import { type Examined, examineBody, withheld } from './examine.ts';
import {
  type CompiledSchema,
  createResponseSchemas,
  type ResponseSchemas,
} from './response-schemas.ts';
import type { ExamineTask } from './worker.ts';

/** A body as it was received. */
export interface BodyToExamine extends BodyFacts {
  /** Characters shown of a body that is not of the type. */
  readonly textChars: number;
  readonly bytes: Buffer;
  readonly redactor: Redactor;
  readonly schema: CompiledSchema | undefined;
}

/** Runs decode → validate → redact, and compiles the schemas for it. */
export interface Examiner extends ResponseSchemas {
  /** @throws {Cancelled} when the caller has gone away. */
  examine(body: BodyToExamine, caller: AbortSignal): Promise<Examined>;
  /** Examines a body on a thread, however small it is; for self-tests. */
  examineOnThread(body: BodyToExamine): Promise<Examined>;
  close(): Promise<void>;
}

/** Up to this size, JSON is examined (20 ns a byte) faster than a thread is asked. */
const MAX_INLINE_BYTES = 256 * 1024;
/** Text and bytes take longer. */
const MAX_INLINE_OTHER_BYTES = 64 * 1024;

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
  const onThread = (body: BodyToExamine, caller?: AbortSignal) =>
    threads.run<Examined>('examine', taskOf(body, maxParsedBytes), {
      sliceMs: workOf(body) > MAX_QUICK_BYTES ? 0 : CHECK_SLICE_MS,
      budgetMs: SCHEMA_BUDGET_MS * Math.max(1, body.bytes.length / MIB),
      ...(caller !== undefined && { caller }),
    });
  return {
    ...createResponseSchemas(threads, maxSchemaBytes),
    examine: async (received, caller) => {
      const body = beginningIfCut(received);
      if (isInline(body)) return examineInline(body);
      const examined = await onThread(body, caller);
      if (examined !== 'beyond limits' || body.schema === undefined) return orWithheld(examined);
      // A schema that is slow on a small body is slow on any; a large body may be to blame itself.
      if (body.bytes.length <= MIB) body.schema.refuseFromNowOn();
      return asUnchecked(orWithheld(await onThread({ ...body, schema: undefined }, caller)));
    },
    examineOnThread: async (body) => orWithheld(await onThread(body)),
    close: threads.close,
  };
}

function beginningIfCut(body: BodyToExamine): BodyToExamine {
  return body.cut ? { ...body, bytes: body.bytes.subarray(0, MAX_BEGINNING_BYTES) } : body;
}

function isInline(body: BodyToExamine): boolean {
  const { schema, type } = body;
  const maxBytes = type === 'json' ? MAX_INLINE_BYTES : MAX_INLINE_OTHER_BYTES;
  return schema === undefined && workOf(body) <= maxBytes;
}

/** Bytes to look at: a body is searched for every secret. */
function workOf({ bytes, redactor }: BodyToExamine): number {
  return bytes.length * Math.max(1, redactor.credentials.secrets.length);
}

function examineInline({ bytes, redactor, ...facts }: BodyToExamine): Examined {
  return examineBody(bytes, { ...facts, search: redactor.search, validate: undefined });
}

function taskOf({ redactor, schema, ...body }: BodyToExamine, maxParsedBytes: number): ExamineTask {
  return { ...body, credentials: redactor.credentials, schema: schema?.schema, maxParsedBytes };
}

function orWithheld(examined: Examined | NoResult): Examined {
  if (examined === 'busy') return BUSY;
  return examined === 'beyond limits' ? BEYOND_LIMITS : examined;
}

/** The body is shown, and its schema is said to have taken too long. */
function asUnchecked(examined: Examined): Examined {
  if (!('violations' in examined)) return examined;
  return { ...examined, violations: unchecked('it takes longer than its time budget') };
}
