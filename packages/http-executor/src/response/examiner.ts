import { extname } from 'node:path';
import { Piscina } from 'piscina';
import { Cancelled } from '../errors.ts';
import type { Redactor } from '../redact/redactor.ts';
import {
  type CompiledSchema,
  createResponseSchemas,
  IDLE_THREAD_MS,
  type ResponseSchemas,
  SCHEMA_BUDGET_MS,
} from '../schema/compile.ts';
import { ambiguities } from '../schema/validate.ts';
import { type Examined, examineBody, MAX_TEXT_BYTES } from './examine.ts';
import type { ExamineTask } from './examine-worker.ts';
import { moving } from './moving.ts';

/** What there is to know about a body that was received. */
export interface BodyToExamine {
  readonly bytes: Buffer;
  readonly redactor: Redactor;
  readonly schema: CompiledSchema | undefined;
  readonly textChars: number;
  readonly cut: boolean;
}

/** The room that judges and redacts bodies, and the schemas to judge them by. */
export interface Examiner extends ResponseSchemas {
  /** Rejects with `Cancelled` when the caller has gone away. */
  examine(body: BodyToExamine, caller: AbortSignal): Promise<Examined>;
}

/**
 * Examining takes up to 20 ns a byte: up to this size, less time than another thread
 * would take to be asked.
 */
const MAX_INLINE_BYTES = 256 * 1024;

/**
 * A task that its own budgets did not stop, such as one that waits in a long queue, is
 * given up after this time.
 */
const BACKSTOP_MS = 10_000;
const MAX_QUEUE = 256;

const MIB = 1024 * 1024;

/** What a worker needs of its own, in MiB. */
const WORKER_HEAP_MB = 64;

/**
 * A parsed body may take six times the response limit: with its bytes, its text and the
 * answer, the process grows by about eight times that (contract section 3, "Bounds"). A
 * small limit would leave too little for ordinary bodies.
 */
const PARSED_TIMES = 6;
const MIN_PARSED_BYTES = 8 * MIB;

/**
 * Small bodies are examined at once, others on a thread of their own, so that no body
 * holds up other callers.
 */
export function createExaminer(maxResponseBytes: number): Examiner {
  const maxParsedBytes = Math.max(MIN_PARSED_BYTES, PARSED_TIMES * maxResponseBytes);
  const pool = new Piscina<ExamineTask, Examined>({
    // TypeScript here, JavaScript in a build.
    filename: new URL(`./examine-worker${extname(import.meta.url)}`, import.meta.url).href,
    // Only while there is work for it: an idle thread with its validator takes 40 MB.
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_THREAD_MS,
    resourceLimits: {
      maxOldGenerationSizeMb: WORKER_HEAP_MB + Math.ceil(maxParsedBytes / MIB),
      maxYoungGenerationSizeMb: 16,
    },
  });
  const schemas = createResponseSchemas();
  return {
    compile: schemas.compile,
    examine: async (received, caller) => {
      const body = received.cut
        ? { ...received, bytes: received.bytes.subarray(0, MAX_TEXT_BYTES) }
        : received;
      const { bytes, redactor, schema, textChars, cut } = body;
      if (bytes.length <= MAX_INLINE_BYTES && (schema === undefined || schema.admits(bytes))) {
        return examineBody(bytes, {
          search: redactor.search,
          validate: schema && ambiguities,
          textChars,
          cut,
        });
      }
      return runOnThread(pool, taskOf(body, maxParsedBytes), caller);
    },
    close: async () => {
      await Promise.all([schemas.close(), pool.destroy()]);
    },
  };
}

function taskOf(
  { bytes, redactor, schema, textChars, cut }: BodyToExamine,
  maxParsedBytes: number,
): ExamineTask {
  const { secrets } = redactor;
  return {
    bytes,
    secrets,
    schema: schema?.text,
    textChars,
    cut,
    budgetMs: SCHEMA_BUDGET_MS,
    maxParsedBytes,
  };
}

type Pool = Piscina<ExamineTask, Examined>;

/**
 * Runs a task unless its caller goes away first; a worker that has to be stopped is
 * replaced.
 */
async function runOnThread(pool: Pool, task: ExamineTask, caller: AbortSignal): Promise<Examined> {
  // Ours rather than `maxQueue`, which piscina 5 does not hold to.
  if (pool.queueSize >= MAX_QUEUE) return withheld('could not be examined: too many others are');
  const backstop = AbortSignal.timeout(BACKSTOP_MS);
  try {
    return await pool.run(moving(task, task.bytes), {
      signal: AbortSignal.any([caller, backstop]),
    });
  } catch {
    if (caller.aborted) throw new Cancelled();
    if (backstop.aborted) return withheld('could not be examined: too many others are');
    return withheld('could not be examined: it needs more time or memory than allowed');
  }
}

function withheld(why: string): Examined {
  return { kind: 'withheld', why };
}
