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
import {
  type RedactedBody,
  type Redactor,
  redactBeginning,
  redactBody,
  withheld,
} from '../redact/redact.ts';
import { scrubViolation } from '../redact/scrub.ts';
import { SearchStopped } from '../redact/search.ts';

export interface Examination extends BodyFacts, Pick<Redactor, 'spellings' | 'hidesCredential'> {
  readonly bytes: Uint8Array;
  readonly schema: TranslatedSchema | undefined;
  readonly maxParsedBytes: number;
}

/** Compiles schemas and examines bodies on one thread. @throws {OverBudget | Starved} */
export class ThreadExaminer {
  readonly #timer = new TimeBudget();
  readonly #checks = new LRUCache<string, SchemaCheck>({ maxSize: 512 * 1024 });

  compile(text: string, budget: Budget): CompileResult {
    return compileSchemaText(text, this.#timer, budget);
  }

  examine(examination: Examination, budget: Budget): RedactedBody {
    try {
      return this.#decodeValidateRedact(examination, budget);
    } catch (error) {
      if (!(error instanceof SearchStopped)) throw error;
      return withheld(error.message);
    }
  }

  #decodeValidateRedact(examination: Examination, budget: Budget): RedactedBody {
    const { bytes, spellings, hidesCredential, schema } = examination;
    const tally = { redactions: 0 };
    const received = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const body = decode(received, examination);
    if (body.kind === 'beginning') return redactBeginning(body, spellings);
    const json = redactBody(body, spellings, tally);
    if (schema === undefined) return { kind: body.kind, json, violations: [], ...tally };
    // If the executor added a credential, validate the redacted body, because otherwise a caller
    // could use a schema's `pattern` to guess the credential one character at a time. If not,
    // validate the original body, because redacted values could violate the schema.
    const validated = hidesCredential ? json : toJson(body);
    const limits = { maxParsedBytes: examination.maxParsedBytes, maxDepth: MAX_JSON_DEPTH, budget };
    const found = this.#checkOf(schema).violationsIn(validated, limits);
    const violations = found.map((each) => scrubViolation(each, spellings, tally));
    return { kind: body.kind, json, violations, ...tally };
  }

  #checkOf(schema: TranslatedSchema): SchemaCheck {
    const key = `${schema.dialect} ${schema.text}`;
    const known = this.#checks.get(key);
    if (known !== undefined) return known;
    const check = new SchemaCheck(schema, this.#timer);
    // A compiled pattern can use far more memory than its text.
    const overhead = key.includes('"pattern') ? 8_192 : 2_048;
    this.#checks.set(key, check, { size: key.length + overhead });
    return check;
  }
}

/** Copies bytes out of a larger buffer, so that a thread does not receive the whole buffer. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
