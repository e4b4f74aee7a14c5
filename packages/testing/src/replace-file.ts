import { renameSync, utimesSync, writeFileSync } from 'node:fs';

/**
 * Replaces a file as operators should: by renaming a complete new file to the path of the old file.
 * The new file's modification time is a minute ago, so that `watchedFile` recognizes the rename.
 */
export function replaceFile(path: string, content: string): void {
  const next = `${path}.next`;
  writeFileSync(next, content);
  const written = Date.now() / 1_000 - 60;
  utimesSync(next, written, written);
  renameSync(next, path);
}
