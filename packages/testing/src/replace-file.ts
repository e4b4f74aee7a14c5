import { renameSync, writeFileSync } from 'node:fs';

/** Replaces a file as our docs advise: writes a new file next to it, and renames that over it. */
export function replaceFile(path: string, content: string): void {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}
