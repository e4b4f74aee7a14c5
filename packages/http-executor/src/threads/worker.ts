import { parentPort } from 'node:worker_threads';
import { success, type Violation } from '@gatehouse/contracts';
import { LRUCache } from 'lru-cache';
import { checkBody } from '../json-schema/check.ts';
import { type CompiledSchema, compileSchema } from '../json-schema/compile.ts';

export interface CheckTask {
  readonly schemaText: string;
  readonly document: Uint8Array;
  readonly maxParsedBytes: number;
}

/** Overhead of a compiled schema, as characters of its text. */
const OVERHEAD = 2_048;
const schemas = new LRUCache<string, CompiledSchema>({
  maxSize: 512 * 1024,
  sizeCalculation: (_, text) => text.length + OVERHEAD,
});

/** Tasks by name. Each is called with the task of a message, and its result is the answer. */
const TASKS: Readonly<Record<string, (task: never) => unknown>> = {
  compile: (schemaText: string): Violation | undefined => {
    const compiled = compileOnce(schemaText);
    return compiled.ok ? undefined : compiled.reason;
  },
  check: ({ schemaText, document, maxParsedBytes }: CheckTask): readonly Violation[] => {
    const compiled = compileOnce(schemaText);
    if (!compiled.ok) throw new Error(compiled.reason.message);
    const { buffer, byteOffset, length } = document;
    return checkBody(compiled.value, Buffer.from(buffer, byteOffset, length), maxParsedBytes);
  },
};

function compileOnce(text: string): ReturnType<typeof compileSchema> {
  const known = schemas.get(text);
  if (known !== undefined) return success(known);
  const compiled = compileSchema(text);
  if (compiled.ok) schemas.set(text, compiled.value);
  return compiled;
}

parentPort?.on('message', ({ name, task }: { name: string; task: never }) => {
  parentPort?.postMessage(TASKS[name]?.(task));
});
