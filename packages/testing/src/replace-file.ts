import { renameSync, utimesSync, writeFileSync } from 'node:fs';

/**
 * Replaces a file as our docs advise: writes a new file, then renames it over the old file.
 * Sets `mtime` back by a minute, because `watchedFile` recognizes a renamed file by a `ctime` that
 * is later than its `mtime`.
 */
export function replaceFile(path: string, content: string): void {
  const next = `${path}.next`;
  writeFileSync(next, content);
  const written = Date.now() / 1_000 - 60;
  utimesSync(next, written, written);
  renameSync(next, path);
}
