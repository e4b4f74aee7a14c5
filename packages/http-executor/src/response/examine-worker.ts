import type { SchemaViolation } from '@gatehouse/contracts';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { searchFor } from '../redact/redactor.ts';
import type { Search } from '../redact/search.ts';
import { compileAgain, TooManyErrors } from '../schema/ajv.ts';
import { complexityOf, tryCompile } from '../schema/compile-worker.ts';
import { Starved, withTimeBudget } from '../schema/time-budget.ts';
import { ambiguities, unchecked, violationsOf } from '../schema/validate.ts';
import { type Examined, examineBody, type Validate } from './examine.ts';
import { moving } from './moving.ts';
import { fitsParsed } from './parsed-size.ts';

/** A body to examine on a thread of its own. */
export interface ExamineTask {
  readonly bytes: Uint8Array;
  readonly secrets: readonly string[];
  /** JSON text of a schema that was compiled before. */
  readonly schema: string | undefined;
  readonly textChars: number;
  readonly cut: boolean;
  /** For compiling, and for checking. */
  readonly budgetMs: number;
  /** Memory for the parsed body. */
  readonly maxParsedBytes: number;
}

const MAX_COMPILED = 64;
const MAX_SEARCHES = 64;

const compiled = new LRUCache<string, ValidateFunction>({ max: MAX_COMPILED });
const searches = new LRUCache<string, Search>({ max: MAX_SEARCHES });

/** What the pool runs. */
export default function examineOnThread(task: ExamineTask): Examined {
  const { bytes, secrets, schema, textChars, cut } = task;
  const examined = examineBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    search: secrets.length === 0 ? undefined : searchOf(secrets),
    validate: schema === undefined ? undefined : validateWith(schema, task),
    textChars,
    cut,
  });
  return examined.kind === 'json' ? moving(examined, examined.bytes) : examined;
}

function searchOf(secrets: readonly string[]): Search {
  const id = secrets.join('\n');
  const search = searches.get(id) ?? searchFor(secrets);
  searches.set(id, search);
  return search;
}

/**
 * In this order: what would take too much memory; what validators would not agree on;
 * what breaks the schema.
 */
function validateWith(schema: string, { budgetMs, maxParsedBytes }: ExamineTask): Validate {
  return (document) => {
    if (!fitsParsed(document, maxParsedBytes))
      return unchecked('parsed, it needs more memory than allowed');
    const ambiguous = ambiguities(document);
    return ambiguous.length > 0 ? ambiguous : applySchema(schema, document.toString(), budgetMs);
  };
}

function applySchema(schema: string, text: string, budgetMs: number): readonly SchemaViolation[] {
  const known = compiled.get(schema);
  const { validate, result } = known ? { validate: known } : tryCompile({ schema, budgetMs });
  if (validate === undefined) return unchecked(result?.kind === 'invalid' ? result.why : BUSY);
  compiled.set(schema, validate);
  try {
    return withTimeBudget(() => judge(validate, schema, JSON.parse(text)), budgetMs);
  } catch (error) {
    // Whatever was stopped in its midst is not used again.
    compiled.delete(schema);
    return unchecked(
      error instanceof Starved ? BUSY : (complexityOf(error) ?? 'the validator failed'),
    );
  }
}

/** Of too many violations, the first alone. */
function judge(
  validate: ValidateFunction,
  schema: string,
  value: unknown,
): readonly SchemaViolation[] {
  try {
    return violationsOf(validate, value);
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error;
    return violationsOf(compileAgain(schema), value);
  }
}

const BUSY = 'the executor is too busy';
