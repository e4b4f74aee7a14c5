import { readFileSync, statSync } from 'node:fs';
import { InvalidFile } from './invalid-file.ts';

/** Reads a regular file as UTF-8. @throws InvalidFile */
export function readTextFile(path: string, maxBytes: number): string {
  let content: Uint8Array;
  try {
    const stats = statSync(path);
    // Read only regular files, because reading a pipe without a writer would block the process.
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > maxBytes) throw tooLarge(path, maxBytes);
    content = readFileSync(path);
  } catch (error) {
    if (error instanceof InvalidFile) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new InvalidFile(path, `cannot be read (${code ?? message})`);
  }
  return decodeText(content, path, maxBytes);
}

/** Decodes the content of a file as UTF-8. @throws InvalidFile */
export function decodeText(content: Uint8Array, file: string, maxBytes: number): string {
  if (content.length > maxBytes) throw tooLarge(file, maxBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw new InvalidFile(file, 'is not in UTF-8');
  }
}

const tooLarge = (file: string, maxBytes: number) =>
  new InvalidFile(file, `is larger than the limit of ${maxBytes} bytes`);
