import { readFileSync, statSync } from 'node:fs';
import { InvalidFile } from './invalid-file.ts';

/** Returns the content of a file. @throws Error, with a `code` if the file system refused */
export type ReadFile = (path: string) => Buffer;

/** Maximum size of any file. A larger one would block requests while it is read. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Reads only regular files, because reading a pipe without a writer would block the process. */
export const readRegularFile: ReadFile = (path) => {
  const stats = statSync(path);
  if (!stats.isFile()) throw new Error('it is not a regular file');
  if (stats.size > MAX_BYTES) throw new Error(`it is larger than the limit of ${MAX_BYTES} bytes`);
  return readFileSync(path);
};

/** Reads a regular file as UTF-8. @throws InvalidFile */
export function readTextFile(path: string, maxBytes: number, readFile = readRegularFile): string {
  let content: Uint8Array;
  try {
    content = readFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new InvalidFile(path, `cannot be read (${code ?? message})`);
  }
  return decodeText(content, path, maxBytes);
}

/** Decodes the content of a file as UTF-8. @throws InvalidFile */
export function decodeText(content: Uint8Array, file: string, maxBytes: number): string {
  if (content.length > maxBytes)
    throw new InvalidFile(file, `is larger than the limit of ${maxBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw new InvalidFile(file, 'is not in UTF-8');
  }
}
