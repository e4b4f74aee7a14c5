import {
  type Budget,
  type CompileResult,
  compileSchemaText,
  SchemaCheck,
  TimeBudget,
  type TranslatedSchema,
} from '@gatehouse/json-schema';
import { LRUCache } from 'lru-cache';
import { type BodyFacts, decode, toJson } from '../decode/decode.ts';
import { MAX_JSON_DEPTH } from '../limits.ts';
import { type RedactedBody, type Redactor, redact } from '../redact/redact.ts';

export interface Examination extends BodyFacts, Pick<Redactor, 'search' | 'hidesCredential'> {
  readonly bytes: Uint8Array;
  readonly schema: TranslatedSchema | undefined;
  readonly maxParsedBytes: number;
}

/** Compiles schemas and examines bodies on one thread. @throws {OverBudget | Starved} */
export class ThreadExaminer {
  readonly #timer = new TimeBudget();
  readonly #checks = new LRUCache<string, SchemaCheck>({ max: 64, maxSize: 512 * 1024 });

  compile(text: string, budget: Budget): CompileResult {
    return compileSchemaText(text, this.#timer, budget);
  }

  examine(examination: Examination, budget: Budget): RedactedBody {
    const { bytes, search, hidesCredential, schema, maxParsedBytes } = examination;
    const limits = { maxParsedBytes, maxDepth: MAX_JSON_DEPTH, budget };
    const received = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return redact(decode(received, examination), search, (body, redacted) => {
      if (schema === undefined) return [];
      // If we validated the original body, a caller could use a schema's `pattern` to guess a
      // credential one character at a time. So we validate the redacted body instead.
      const json = hidesCredential ? redacted : toJson(body);
      return this.#checkOf(schema).violationsIn(json, limits);
    });
  }

  #checkOf(schema: TranslatedSchema): SchemaCheck {
    const key = `${schema.dialect} ${schema.text}`;
    const check = this.#checks.get(key) ?? new SchemaCheck(schema, this.#timer);
    this.#checks.set(key, check, { size: key.length });
    return check;
  }
}

/** Copies bytes out of a larger buffer, so that a thread does not receive the whole buffer. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
