import { type WatchedFile, watchedFile } from '@gatehouse/config-file';
import { Counter, type Registry } from 'prom-client';
import type { Logger } from '../observe/logger.ts';

interface Reloads<File, Result extends string> {
  readonly path: string;
  /** @throws Error that says what is wrong with the file */
  readonly read: () => File;
  readonly apply: (file: File) => Result;
  /** Counter of reload results. Exports a count of 0 for a result that has not occurred yet. */
  readonly counter: { name: string; help: string; results: readonly (Result | 'invalid')[] };
  readonly invalid: { message: string; fields: object };
}

/** Reloads a file when it changes. Counts reloads by result, and logs why a file is invalid. */
export function reloadedFile<File, Result extends string>(
  { path, read, apply, counter, invalid }: Reloads<File, Result>,
  { registry, logger }: { registry: Registry; logger: Logger },
): WatchedFile {
  const { name, help, results } = counter;
  const reloads = new Counter({ name, help, labelNames: ['result'], registers: [registry] });
  for (const result of results) reloads.inc({ result }, 0);
  let isFirst = true;
  const reload = () => {
    const isOwn = isFirst;
    isFirst = false;
    let file: File;
    try {
      file = read();
    } catch (error) {
      logger.error({ ...invalid.fields, reason: (error as Error).message }, invalid.message);
      return 'invalid';
    }
    const result = apply(file);
    // The first reading, soon after the start, is not worth a log line.
    if (result === 'unchanged' && !isOwn)
      logger.info(invalid.fields, 'file read again; nothing has changed');
    return result;
  };
  return watchedFile(path, () => reloads.inc({ result: reload() }));
}
