import { failure, type Result, success, type Violation } from '@gatehouse/contracts';
import { JsonText } from '@gatehouse/contracts/json';
import { LRUCache } from 'lru-cache';
import { maxInlineBytes } from '../json-schema/check.ts';
import { type CompiledSchema, compileSchema } from '../json-schema/compile.ts';
import { SCHEMA_CPU_MS, type Threads } from './threads.ts';

/** A schema that compiles. */
export interface AcceptedSchema {
  readonly text: string;
  /** Absent if a check could be slow. Each worker thread then compiles the text by itself. */
  readonly inline?: { readonly validate: CompiledSchema; readonly maxBodyBytes: number };
}

/** Default for the maximum size of a `response_schema`. */
export const MAX_SCHEMA_BYTES = 256 * 1024;

/** Wait for a thread before anything is sent. */
const MAX_WAIT_MS = 1_000;

/** Memory of a compiled schema, in bytes. */
const COMPILED_SIZE = 16 * 1024;

type Acceptance = Result<AcceptedSchema, Violation | 'busy'>;

/** Compiles response schemas before anything is sent, and keeps the results for all callers. */
export class ResponseSchemas {
  readonly #threads: Threads;
  readonly #maxBytes: number;
  readonly #known = new LRUCache<string, Acceptance>({ max: 1_024, maxSize: 8 * 1024 * 1024 });

  constructor(threads: Threads, maxBytes = MAX_SCHEMA_BYTES) {
    this.#threads = threads;
    this.#maxBytes = maxBytes;
  }

  /** Returns the schema, or its first mistake. `busy` means that no thread was free. */
  async accept(schema: object, caller: string | undefined): Promise<Acceptance> {
    const { text } = JsonText.of(schema);
    const known = this.#known.get(text);
    if (known !== undefined) return known;

    const bytes = Buffer.byteLength(text);
    if (bytes > this.#maxBytes)
      return refusal({
        pointer: '',
        message: `has ${bytes} bytes, but may have ${this.#maxBytes}`,
      });

    return this.#compile(text, caller);
  }

  async #compile(text: string, caller: string | undefined): Promise<Acceptance> {
    const maxBodyBytes = maxInlineBytes(text);
    if (maxBodyBytes > 0) {
      const compiled = compileSchema(text);
      if (!compiled.ok) return this.#keep(text, refusal(compiled.reason));

      return this.#keep(
        text,
        success({ text, inline: { validate: compiled.value, maxBodyBytes } }),
      );
    }

    const limits = { caller, isUrgent: false, cpuMs: SCHEMA_CPU_MS, maxWaitMs: MAX_WAIT_MS };
    const result = await this.#threads.run<Violation | undefined>('compile', text, limits);
    if (!result.ok) return result.reason === 'busy' ? failure('busy') : TOO_MUCH[result.reason];

    return this.#keep(text, result.value === undefined ? success({ text }) : refusal(result.value));
  }

  #keep(text: string, acceptance: Acceptance): Acceptance {
    this.#known.set(text, acceptance, { size: text.length + COMPILED_SIZE });
    return acceptance;
  }
}

function refusal({ pointer, message }: Violation): Acceptance {
  return failure({ pointer: `/response_schema${pointer}`, message });
}

const tooMuch = (what: string) =>
  refusal({
    pointer: '',
    message: `takes too much ${what} to compile; simplify it or leave it out`,
  });

const TOO_MUCH = {
  'out of time': tooMuch(`processor time (over ${SCHEMA_CPU_MS / 1_000} s)`),
  'out of memory': tooMuch('memory'),
};
