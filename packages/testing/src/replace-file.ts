import { renameSync, utimesSync, writeFileSync } from 'node:fs';

/**
 * Replaces a file by renaming a new one into place, as operators should. Sets the times of the new
 * file to a minute ago, so that `watchedFile` recognizes the rename even if the clock of the file
 * system is coarse.
 */
export function replaceFile(path: string, content: string): void {
  const next = `${path}.next`;
  writeFileSync(next, content);
  const written = Date.now() / 1_000 - 60;
  utimesSync(next, written, written);
  renameSync(next, path);
}
