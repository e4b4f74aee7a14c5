import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CredentialSource } from '@gatehouse/contracts';

/** Thrown if a credential is unusable. Example of a message: "secret file is empty". */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

const MAX_CHARS = 8_192;
/** Maximum size of a file with `MAX_CHARS` characters and a line ending. */
const MAX_BYTES = 4 * MAX_CHARS + 2;

/** Reads a secret (docs/contract.md, "Secret files"). @throws {Unavailable} */
export function readSecret(path: string): string {
  const text = contentOf(path).replace(/\r?\n$/, '');
  if (text.trim() === '') throw new Unavailable('secret file is empty');
  if (text.length > MAX_CHARS) throw tooLong();
  if (/\p{Cc}/u.test(text)) throw new Unavailable('secret file contains control characters');
  return text;
}

const tooLong = () => new Unavailable(`secret file has more than ${MAX_CHARS} characters`);

function contentOf(path: string): string {
  try {
    const stats = statSync(path);
    // A pipe without a writer would block the process, so we read only regular files.
    if (!stats.isFile()) throw new Unavailable('secret file is not a regular file');
    if (stats.size > MAX_BYTES) throw tooLong();
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new Unavailable('secret file is not valid UTF-8');
    throw new Unavailable(`secret file cannot be read (${code})`);
  }
}

/** Returns the path of a credential's secret file. `file` is the path of the destinations file. */
export function secretPathOf(source: CredentialSource, file: string): string {
  return resolve(dirname(file), secretFileOf(source));
}

function secretFileOf(source: CredentialSource): string {
  switch (source.type) {
    case 'bearer':
      return source.token_file;
    case 'basic':
      return source.password_file;
    case 'header':
      return source.value_file;
    case 'oauth2_client_credentials':
      return source.client_secret_file;
  }
}
