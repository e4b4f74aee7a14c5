import { type WatchedFile, watchedFile } from '@gatehouse/config-file';
import { Counter, type Registry } from 'prom-client';

interface Reloads<Result extends string> {
  readonly path: string;
  readonly registry: Registry;
  /** Counter of the results. All results are exported from the start, with a count of zero. */
  readonly counter: { name: string; help: string; results: readonly Result[] };
  /** Called when the file may have changed. Must not throw. */
  readonly reload: () => Result;
}

/** Watches a file, and counts the results of its reloads. */
export function reloadedFile<Result extends string>(reloads: Reloads<Result>): WatchedFile {
  const { path, registry, reload } = reloads;
  const { name, help, results } = reloads.counter;
  const counter = new Counter({ name, help, labelNames: ['result'], registers: [registry] });
  for (const result of results) counter.inc({ result }, 0);
  return watchedFile(path, () => counter.inc({ result: reload() }));
}
