import { type WatchedFile, watchedFile } from '@gatehouse/config-file';
import { Counter, type Registry } from 'prom-client';
import type { Logger } from '../log/logger.ts';

interface Reloads<File, Result extends string> {
  readonly path: string;
  /** Returns the content of the file. @throws Error that lists its mistakes */
  readonly read: () => File;
  /** Applies a file without mistakes, if it differs from the one in force. */
  readonly apply: (file: File) => Result;
  /** Counter of the results. All results are exported from the start, with a count of zero. */
  readonly counter: { name: string; help: string; results: readonly (Result | 'invalid')[] };
  /** Message and fields of the log line about mistakes. */
  readonly invalid: { message: string; fields: object };
}

/** Reloads a file when it has changed, and counts the results. A file with mistakes is logged. */
export function reloadedFile<File, Result extends string>(
  { path, read, apply, counter, invalid }: Reloads<File, Result>,
  { registry, logger }: { registry: Registry; logger: Logger },
): WatchedFile {
  const { name, help, results } = counter;
  const reloads = new Counter({ name, help, labelNames: ['result'], registers: [registry] });
  for (const result of results) reloads.inc({ result }, 0);
  const reload = () => {
    let file: File;
    try {
      file = read();
    } catch (error) {
      logger.error({ ...invalid.fields, reason: (error as Error).message }, invalid.message);
      return 'invalid';
    }
    return apply(file);
  };
  return watchedFile(path, () => reloads.inc({ result: reload() }));
}
