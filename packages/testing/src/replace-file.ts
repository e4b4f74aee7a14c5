import { renameSync, utimesSync, writeFileSync } from 'node:fs';

/**
 * Writes a complete new file and renames it to the path of the old file, as operators should.
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
