import { LRUCache } from 'lru-cache';
import { searchFor } from '../redact/redactor.ts';
import type { Search } from '../redact/search.ts';
import type { ReadSchema } from '../schema/reading/read.ts';
import { transferring } from '../thread.ts';
import { type BodyFacts, type Examined, examineBody } from './examine.ts';
import { SchemaValidator } from './validate.ts';

/** A body to examine on a thread of its own. */
export interface ExamineTask extends BodyFacts {
  readonly bytes: Uint8Array;
  readonly secrets: readonly string[];
  /** A schema that was compiled before. */
  readonly schema: ReadSchema | undefined;
  /** Memory for the parsed body. */
  readonly maxParsedBytes: number;
}

// The main module of a thread: what it keeps lives as long as the thread.

const MAX_SEARCHES = 64;
const validator = new SchemaValidator();
const searches = new LRUCache<string, Search>({ max: MAX_SEARCHES });

export default function examineOnThread(task: ExamineTask): Examined {
  const { bytes, secrets, schema, maxParsedBytes } = task;
  const examined = examineBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    ...task,
    search: secrets.length === 0 ? undefined : searchOf(secrets),
    validate: schema === undefined ? undefined : validator.for(schema, maxParsedBytes),
  });
  return 'bytes' in examined ? transferring(examined, examined.bytes) : examined;
}

function searchOf(secrets: readonly string[]): Search {
  const id = secrets.join('\n');
  const search = searches.get(id) ?? searchFor(secrets);
  searches.set(id, search);
  return search;
}
