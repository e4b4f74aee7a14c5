import { renameSync, utimesSync, writeFileSync } from 'node:fs';

/**
 * Writes a complete new file and renames it to the path of the old file, as operators should.
 * Sets the modification time to a minute before the rename, so that `watchedFile` detects a rename.
 */
export function replaceFile(path: string, content: string): void {
  const next = `${path}.next`;
  writeFileSync(next, content);
  const written = Date.now() / 1_000 - 60;
  utimesSync(next, written, written);
  renameSync(next, path);
}
