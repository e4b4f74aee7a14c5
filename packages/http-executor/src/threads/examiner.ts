import { extname } from 'node:path';
import type { ResponseType } from '@gatehouse/contracts';
import {
  type CompileResult,
  isQuickCheck,
  OverBudget,
  SCHEMA_BUDGET_MS,
  Starved,
  unchecked,
} from '@gatehouse/json-schema';
import { isSuccess } from '../attempt/attempt.ts';
import type { AttemptResult } from '../attempt/result.ts';
import { type BodyFacts, MAX_BEGINNING_BYTES } from '../decode/decode.ts';
import { type RedactedBody, type Redactor, withheld } from '../redact/redact.ts';
import {
  type AcceptedSchema,
  createResponseSchemas,
  type ResponseSchemas,
} from '../validate/response-schemas.ts';
import { createThreads, isUnfinished, SLICE, type Unfinished } from './pools.ts';
import { type Examination, ownBytes, ThreadExaminer } from './thread-examiner.ts';

export interface BodyToExamine extends BodyFacts {
  readonly bytes: Uint8Array;
  readonly redactor: Redactor;
  readonly schema: AcceptedSchema | undefined;
}

export interface Examiner extends ResponseSchemas {
  decodeValidateRedact(body: BodyToExamine): Promise<RedactedBody>;
  close(): Promise<void>;
}

const MIB = 1024 * 1024;

/** Maximum `bytesToSearch` on the main thread. Sending a small body to a worker wastes CPU time. */
const MAX_INLINE_BYTES = MIB / 4;

/** Maximum `bytesToSearch` on the quick-task thread, which cannot finish larger bodies in time. */
const MAX_QUICK_BYTES = MIB / 2;

const WORKER_HEAP_MB = 48;

/** Maximum memory for a parsed body, as a multiple of `maxResponseBytes` (docs/contract.md). */
const PARSED_SIZE_FACTOR = 6;
const MIN_PARSED_BYTES = 8 * MIB;

/** While this many tasks wait for a thread, the executor refuses to compile more schemas. */
const MAX_WAITING_SCHEMAS = 256;

const BUSY = withheld('was not processed, because the executor was busy with other responses');
const BEYOND_LIMITS = withheld(
  'took too much time or memory to process; ask for a smaller response',
);

/**
 * Examines each body on the first suitable thread, so that slow bodies do not delay other callers:
 * 1. the main thread, if the body is small and its schema, if any, is cached and quick to check;
 * 2. the quick-task thread, if each step, such as the schema check, fits into a short time slice;
 * 3. a slow-task thread, which gives the schema check more time;
 * 4. if step 3 takes too long, any worker thread, without checking the body against the schema.
 */
export function createExaminer(maxResponseBytes: number, maxSchemaBytes?: number): Examiner {
  const maxParsedBytes = Math.max(MIN_PARSED_BYTES, PARSED_SIZE_FACTOR * maxResponseBytes);
  const threads = createThreads(
    // The worker file is `worker.ts` in the source and `worker.js` in a build.
    new URL(`./worker${extname(import.meta.url)}`, import.meta.url),
    WORKER_HEAP_MB + Math.ceil(maxParsedBytes / MIB),
  );
  const mainThread = new ThreadExaminer();
  const toTask = ({ redactor, schema, ...body }: BodyToExamine): Examination => {
    const { spellings, hidesCredential } = redactor;
    return { ...body, spellings, hidesCredential, schema: schema?.schema, maxParsedBytes };
  };
  const examineOnThread = (body: BodyToExamine) =>
    threads.run<RedactedBody>('examine', toTask({ ...body, bytes: ownBytes(body.bytes) }), {
      tryQuick: bytesToSearch(body) <= MAX_QUICK_BYTES,
      budgetMs: SCHEMA_BUDGET_MS * Math.max(1, body.bytes.length / MIB),
    });
  const compileOnThread = (text: string) =>
    threads.run<CompileResult>('compile', text, {
      tryQuick: true,
      budgetMs: SCHEMA_BUDGET_MS,
      maxWaiting: MAX_WAITING_SCHEMAS,
    });
  return {
    ...createResponseSchemas(compileOnThread, maxSchemaBytes),
    decodeValidateRedact: async (received) => {
      const { cut, schema } = received;
      const bytes = cut ? received.bytes.subarray(0, MAX_BEGINNING_BYTES) : received.bytes;
      const body = { ...received, bytes };
      try {
        if (isInline(body)) return mainThread.examine(toTask(body), SLICE);
      } catch (error) {
        if (!(error instanceof OverBudget || error instanceof Starved)) throw error;
      }
      const examined = await examineOnThread(body);
      if (examined !== 'beyond limits' || schema === undefined) return orWithheld(examined);
      // Refuse the schema only if the body is small, because any schema is slow on a large body.
      if (bytes.length <= MIB) schema.refuseForAWhile();
      return markUnchecked(orWithheld(await examineOnThread({ ...body, schema: undefined })));
    },
    close: threads.close,
  };
}

/** True if the body is small, and its schema, if any, was accepted before and is quick to check. */
function isInline(body: BodyToExamine): boolean {
  if (bytesToSearch(body) > MAX_INLINE_BYTES) return false;
  const { bytes, schema } = body;
  return schema === undefined || (!schema.isNew && isQuickCheck(schema.schema, bytes.length));
}

/** Returns the body's size times the number of secrets, because each secret needs a search. */
function bytesToSearch({ bytes, redactor }: BodyToExamine): number {
  return bytes.length * Math.max(1, redactor.secretCount);
}

function orWithheld(examined: RedactedBody | Unfinished): RedactedBody {
  if (!isUnfinished(examined)) return examined;
  return examined === 'busy' ? BUSY : BEYOND_LIMITS;
}

/** Keeps the body and reports one violation: the schema check took too long. */
function markUnchecked(examined: RedactedBody): RedactedBody {
  if (!('violations' in examined)) return examined;
  return { ...examined, violations: unchecked('the check took longer than allowed') };
}

/** Maximum number of characters in an excerpt from the body of a non-2xx response. */
const FAILURE_CHARS = 2_000;
const SUCCESS_CHARS = 200;

/** Returns the body to decode, validate and redact, or undefined if the outcome has no body. */
export function bodyToExamine(
  result: AttemptResult,
  type: ResponseType,
  { redactor, schema }: Pick<BodyToExamine, 'redactor' | 'schema'>,
): BodyToExamine | undefined {
  if (!('response' in result)) return undefined;
  const { status, headers, body } = result.response;
  const { bytes, fault } = body;
  const cut = fault !== undefined;
  if (cut && (isSuccess(status) || bytes.length === 0)) return undefined;
  return {
    bytes,
    cut,
    type,
    contentType: [headers['content-type']].flat()[0],
    textChars: isSuccess(status) ? SUCCESS_CHARS : FAILURE_CHARS,
    redactor,
    schema: isSuccess(status) ? schema : undefined,
  };
}
