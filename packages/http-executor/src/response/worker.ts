import {
  type CompileResult,
  compileSchemaText,
  OverBudget,
  type ReadSchema,
  SchemaValidator,
  Starved,
  TimeBudget,
} from '@gatehouse/json-schema';
import { MAX_JSON_DEPTH } from '../json-depth.ts';
import type { Credentials } from '../redact/secrets.ts';
import { prepareSearch } from '../redact/spellings.ts';
import type { Job, Stopped } from '../threads.ts';
import type { BodyFacts } from './decode.ts';
import { type Examined, examineBody } from './examine.ts';

// The program of each thread. Its state lives as long as the thread.

/** A body to examine on a thread. */
export interface ExamineTask extends BodyFacts {
  /** Characters shown of a body that is not of the type. */
  readonly textChars: number;
  readonly bytes: Uint8Array;
  readonly credentials: Credentials;
  /** A schema that was compiled before. */
  readonly schema: ReadSchema | undefined;
  /** Memory for the parsed body. */
  readonly maxParsedBytes: number;
}

const timer = new TimeBudget();
const validator = new SchemaValidator(timer);

export const compile = (job: Job<string>): CompileResult | Stopped =>
  perform(job, (text) => compileSchemaText(text, timer, job.budget));

export const examine = (job: Job<ExamineTask>): Examined | Stopped =>
  perform(job, (task) => {
    const { bytes, credentials, schema, maxParsedBytes } = task;
    return examineBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      ...task,
      search: prepareSearch(credentials),
      validate:
        schema &&
        validator.for(schema, { maxParsedBytes, maxDepth: MAX_JSON_DEPTH, budget: job.budget }),
    });
  });

/** Runs a task unless it was abandoned while it waited. */
function perform<Task, Result>(
  { task, abandoned }: Job<Task>,
  work: (task: Task) => Result,
): Result | Stopped {
  if (Atomics.load(abandoned, 0) === 1) return { stopped: 'abandoned' };
  try {
    return work(task);
  } catch (error) {
    if (error instanceof OverBudget) return { stopped: 'over budget' };
    if (error instanceof Starved) return { stopped: 'starved' };
    throw error;
  }
}
