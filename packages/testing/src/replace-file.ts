import { renameSync, utimesSync, writeFileSync } from 'node:fs';

/**
 * Writes a new file and renames it to the path of the old file, as operators should. Sets the new
 * file's modification time back by a minute, so that `watchedFile` never mistakes the rename
 * for a write.
 */
export function replaceFile(path: string, content: string): void {
  const next = `${path}.next`;
  writeFileSync(next, content);
  const written = Date.now() / 1_000 - 60;
  utimesSync(next, written, written);
  renameSync(next, path);
}
