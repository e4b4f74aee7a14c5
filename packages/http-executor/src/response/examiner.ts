import { isUtf8 } from 'node:buffer';
import { extname } from 'node:path';
import { MAX_EXCERPT_BYTES } from '../redact/body.ts';
import type { Redactor } from '../redact/redactor.ts';
import {
  type CompiledSchema,
  createResponseSchemas,
  type ResponseSchemas,
} from '../schema/response-schemas.ts';
import { createThread, type NoResult, transferring } from '../thread.ts';
import { type BodyFacts, type Examined, examineBody, withheld } from './examine.ts';
import type { ExamineTask } from './examine-worker.ts';
import { alreadyValid } from './read-for-schema.ts';

/** A body as it was received. */
export interface BodyToExamine extends BodyFacts {
  readonly bytes: Buffer;
  readonly redactor: Redactor;
  readonly schema: CompiledSchema | undefined;
}

/** Runs decode → validate → redact, and compiles the schemas for it. */
export interface Examiner extends ResponseSchemas {
  /** @throws {Cancelled} when the caller has gone away. */
  examine(body: BodyToExamine, caller: AbortSignal): Promise<Examined>;
}

/** Up to this size, JSON is examined (20 ns a byte) faster than another thread is asked. */
const MAX_INLINE_BYTES = 256 * 1024;
/** The same of text and bytes, which take longer. */
const MAX_INLINE_OTHER_BYTES = 64 * 1024;

const MIB = 1024 * 1024;

const WORKER_HEAP_MB = 64;

/**
 * A parsed body may take six times the response limit; with its bytes, text and answer
 * that makes about eight (contract section 3, "Bounds").
 */
const PARSED_TIMES = 6;
const MIN_PARSED_BYTES = 8 * MIB;

const NOT_EXAMINED: Readonly<Record<NoResult, string>> = {
  busy: 'could not be examined: too many others are',
  'beyond limits': 'could not be examined: it needs more time or memory than allowed',
};

/** Examines small bodies at once, and others on a thread, so that none blocks callers. */
export function createExaminer(maxResponseBytes: number, maxSchemaBytes?: number): Examiner {
  const maxParsedBytes = Math.max(MIN_PARSED_BYTES, PARSED_TIMES * maxResponseBytes);
  const thread = createThread<ExamineTask, Examined>(
    // TypeScript here, JavaScript in a build.
    new URL(`./examine-worker${extname(import.meta.url)}`, import.meta.url),
    WORKER_HEAP_MB + Math.ceil(maxParsedBytes / MIB),
  );
  const schemas = createResponseSchemas(maxSchemaBytes);
  return {
    compile: schemas.compile,
    examine: async (received, caller) => {
      const body = received.cut
        ? { ...received, bytes: received.bytes.subarray(0, MAX_EXCERPT_BYTES) }
        : received;
      if (isInline(body)) {
        const validate = body.schema && alreadyValid;
        return examineBody(body.bytes, { ...body, search: body.redactor.search, validate });
      }
      const task = taskOf(body, maxParsedBytes);
      const examined = await thread.run(transferring(task, task.bytes), caller);
      return typeof examined === 'string' ? withheld(NOT_EXAMINED[examined]) : examined;
    },
    close: async () => {
      await Promise.all([schemas.close(), thread.close()]);
    },
  };
}

function isInline({ bytes, schema, type }: BodyToExamine): boolean {
  if (type !== 'json') return bytes.length <= MAX_INLINE_OTHER_BYTES && schema === undefined;
  if (bytes.length > MAX_INLINE_BYTES) return false;
  // What is not in UTF-8 may mean something else than what a schema admits.
  return schema === undefined || (isUtf8(bytes) && schema.admits(bytes));
}

function taskOf({ redactor, schema, ...body }: BodyToExamine, maxParsedBytes: number): ExamineTask {
  return { ...body, secrets: redactor.secrets, schema: schema?.schema, maxParsedBytes };
}
