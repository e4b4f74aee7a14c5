import { dirname, resolve } from 'node:path';
import { readRegularFile } from '@gatehouse/config-file';
import { type CredentialSource, failure, type Result, success } from '@gatehouse/contracts';
import type { Unavailable } from './credential.ts';

type Secret = Result<string, Unavailable>;

const MAX_CHARS = 8_192;

/**
 * Returns the secret in a file (docs/destinations.md, "Credentials"). Reads the file at each use
 * instead of polling it with `reloadable`, so that a new secret works with the next execution, and
 * a secret that no execution needs is neither read nor kept.
 */
export function readSecret(path: string): Secret {
  try {
    return parseSecret(readRegularFile(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return unusable(`cannot be read (${code ?? message})`);
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

  if (text.length > MAX_CHARS) return unusable(`has more than ${MAX_CHARS} characters`);

  const invisible = INVISIBLE.exec(text)?.[0].codePointAt(0);
  if (invisible === undefined) return success(text);

  const code = invisible.toString(16).toUpperCase().padStart(4, '0');
  return unusable(`contains the control or invisible character U+${code}`);
}

const unusable = (why: string) => failure<Unavailable>({ reason: `secret file ${why}` });

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
