import type { Violation } from '@gatehouse/contracts';
import { type Answer, decodedJson } from './decode.ts';
import { longestPathBytes } from './json-schema/body.ts';
import { checkBody } from './json-schema/check.ts';
import { unchecked } from './json-schema/violations.ts';
import type { AcceptedSchema } from './threads/response-schemas.ts';
import { type NoResult, SCHEMA_CPU_MS, type Threads } from './threads/threads.ts';
import type { CheckTask } from './threads/worker.ts';
import { isSuccess } from './wire.ts';

/** Wait for a thread after something was sent. Only other checks can be ahead in the queue. */
const MAX_WAIT_MS = 30_000;

/** Largest parsed body, as a multiple of the response limit (docs/contract.md, "Bounds"). */
const PARSED_SIZE_FACTOR = 6;
const MIB = 1024 * 1024;
const MIN_PARSED_BYTES = 8 * MIB;
/** Memory of a thread besides the parsed body: compiled schemas, violations and Ajv itself. */
const BASE_HEAP_MB = 64;

export function maxParsedBytes(maxResponseBytes: number): number {
  return Math.max(MIN_PARSED_BYTES, PARSED_SIZE_FACTOR * maxResponseBytes);
}

/** Returns the `heapMb` that `Threads` need to check parsed bodies of the largest size. */
export function threadHeapMb(maxResponseBytes: number): number {
  return BASE_HEAP_MB + Math.ceil(maxParsedBytes(maxResponseBytes) / MIB);
}

/** Longest path to check inline. Listing thousands of errors with longer ones can take seconds. */
const MAX_INLINE_PATH_BYTES = 256;

/** Checks bodies on this thread if that is sure to be quick, and otherwise on a worker thread. */
export class Validator {
  readonly #threads: Threads;
  readonly #maxParsedBytes: number;

  constructor(threads: Threads, maxResponseBytes: number) {
    this.#threads = threads;
    this.#maxParsedBytes = maxParsedBytes(maxResponseBytes);
  }

  /**
   * Returns the first 20 violations in the body of a success, or an empty list. If a limit stops
   * the check, the only violation says which.
   */
  async validate(
    { status = 0, body }: Answer,
    schema: AcceptedSchema | undefined,
    { caller, signal }: { readonly caller?: string | undefined; readonly signal: AbortSignal },
  ): Promise<readonly Violation[]> {
    if (schema === undefined || !isSuccess(status)) return [];

    const document = decodedJson(body);
    if (document === undefined) return [];

    const { text, inline } = schema;
    const limit = this.#maxParsedBytes;
    const isQuick =
      inline !== undefined &&
      document.length <= inline.maxBodyBytes &&
      longestPathBytes(document) <= MAX_INLINE_PATH_BYTES;
    if (isQuick) return checkBody(inline.validate, document, limit);

    const task: CheckTask = { schemaText: text, document, maxParsedBytes: limit };
    const limits = { caller, isUrgent: true, cpuMs: SCHEMA_CPU_MS, maxWaitMs: MAX_WAIT_MS, signal };
    const result = await this.#threads.run<readonly Violation[]>('check', task, limits);
    return result.ok ? result.value : unchecked(REASONS[result.reason]);
  }
}

const REASONS: Readonly<Record<NoResult, string>> = {
  busy: `no thread was free within ${MAX_WAIT_MS / 1_000} s`,
  'out of time': `checking it took over ${SCHEMA_CPU_MS / 1_000} s of processor time; simplify the schema`,
  'out of memory': 'checking it took too much memory; simplify the schema',
};
