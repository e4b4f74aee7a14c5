import { renameSync, utimesSync, writeFileSync } from 'node:fs';

/**
 * Replaces a file by renaming a new one into place, as operators should. Sets the times of the new
 * file to a minute ago, because the clock of a file system may be too coarse to distinguish a write
 * from the rename that follows.
 */
export function replaceFile(path: string, content: string): void {
  const next = `${path}.next`;
  writeFileSync(next, content);
  const written = Date.now() / 1_000 - 60;
  utimesSync(next, written, written);
  renameSync(next, path);
}
