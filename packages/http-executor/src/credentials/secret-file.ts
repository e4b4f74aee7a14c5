import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CredentialSource } from '@gatehouse/contracts';
import { failure, type Result, success } from '../result.ts';
import type { Unavailable } from './credential.ts';

type Secret = Result<string, Unavailable>;

const MAX_CHARS = 8_192;
/** Maximum size of a file with a byte order mark, `MAX_CHARS` characters and a line end. */
const MAX_BYTES = 3 + 4 * MAX_CHARS + 2;

/** File that contains a secret. The content is read again only when the file has changed. */
export class SecretFile {
  readonly #path: string;
  #version = '';
  #secret: Secret = unusable('was not read');

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the secret (docs/contract.md, "Secret files"). */
  read(): Secret {
    try {
      const stats = statSync(this.#path, { bigint: true });
      // A pipe without a writer would block the process, so read only regular files.
      if (!stats.isFile()) return unusable('is not a regular file');
      if (stats.size > MAX_BYTES) return tooLong();

      const version = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join();
      if (version !== this.#version) this.#secret = parseSecret(readFileSync(this.#path));
      this.#version = version;
      return this.#secret;
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      return unusable(`cannot be read (${code})`);
    }
  }
}

/** Matches control characters, and characters that are invisible or look like a space. */
const INVISIBLE = /(?! )[\p{Cc}\p{Cf}\p{DI}\p{Z}]/u;

function parseSecret(content: Uint8Array): Secret {
  let text: string;
  try {
    // The decoder removes one byte order mark, which Windows tools put before the secret.
    text = new TextDecoder('utf-8', { fatal: true }).decode(content).replace(/\r?\n$/, '');
  } catch {
    return unusable('is not valid UTF-8');
  }
  if (text.trim() === '') return unusable('is empty');
  if (text.length > MAX_CHARS) return tooLong();

  const invisible = INVISIBLE.exec(text)?.[0].codePointAt(0);
  if (invisible === undefined) return success(text);
  const code = invisible.toString(16).toUpperCase().padStart(4, '0');
  return unusable(`contains the control or invisible character U+${code}`);
}

const unusable = (why: string) => failure<Unavailable>({ reason: `secret file ${why}` });

const tooLong = () => unusable(`has more than ${MAX_CHARS} characters`);

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
