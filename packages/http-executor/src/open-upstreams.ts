import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type Destination,
  type Destinations,
  readDestinations,
  readDestinationsText,
} from '@gatehouse/destinations';
import { type Credential, openCredential, secretFileOf } from './credentials/credential.ts';
import { readSecret, Unavailable } from './credentials/secret-file.ts';
import type { TokenDeps } from './credentials/token-endpoint.ts';
import { MIN_SECRET_CHARS } from './redact/secrets.ts';
import { checkTlsFiles } from './transport/tls-files.ts';
import type { TlsFiles } from './transport.ts';
import type { Upstreams } from './upstreams.ts';

/** A destinations file and the TLS files that it names. */
export interface LoadedDestinations {
  readonly path: string;
  readonly destinations: Destinations;
  readonly tls: ReadonlyMap<Destination, TlsFiles>;
  /** Paths of all TLS files that the destinations file names. */
  readonly tlsFiles: readonly string[];
}

/** Thrown if a destinations file names an unusable TLS file, such as a malformed certificate. */
export class UnusableTlsFile extends Error {
  readonly tlsFiles: readonly string[];

  constructor(message: string, tlsFiles: readonly string[]) {
    super(message);
    this.tlsFiles = tlsFiles;
  }
}

/** Reads a destinations file and its TLS files. @throws {InvalidFile | UnusableTlsFile} */
export function loadDestinations(path: string): LoadedDestinations {
  const destinations = readDestinations(readDestinationsText(path), path);
  const tls = new Map<Destination, TlsFiles>();
  const tlsFiles = listTlsFiles(path, destinations);
  for (const each of destinations.all) {
    try {
      const files = readTls(each, path);
      if (files !== undefined) tls.set(each, files);
    } catch (error) {
      const reason = (error as Error).message;
      const message = `${path}:${each.line}: /destinations/${each.index} has TLS files that cannot be used: ${reason}`;
      throw new UnusableTlsFile(message, tlsFiles);
    }
  }
  return { path, destinations, tls, tlsFiles };
}

function listTlsFiles(path: string, { all }: Destinations): string[] {
  const files = all.flatMap(({ source: { ca_file, client_cert_file, client_key_file } }) =>
    [ca_file, client_cert_file, client_key_file].flatMap((file) => file ?? []),
  );
  return [...new Set(files)].map((file) => resolve(dirname(path), file));
}

/** Lists problems with the secret files. Only `errors` prevent startup. */
export function inspectSecrets(file: LoadedDestinations): { errors: string[]; warnings: string[] } {
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const [name, source] of Object.entries(file.destinations.credentials)) {
    const path = resolve(dirname(file.path), secretFileOf(source));
    try {
      if (readSecret(path).length < MIN_SECRET_CHARS)
        warnings.push(
          `the secret of the credential \`${name}\` has fewer than ${MIN_SECRET_CHARS} characters, so it stays visible wherever an upstream echoes it; use a longer one`,
        );
      const { mode = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if ((mode & 0o004) !== 0)
        warnings.push(
          `every user can read the secret file of the credential \`${name}\`; set the file's mode to 0600`,
        );
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      errors.push(`${path}: the credential \`${name}\` cannot be used: its ${error.message}`);
    }
  }
  return { errors, warnings };
}

function readTls({ source }: Destination, path: string): TlsFiles | undefined {
  const { ca_file, client_cert_file, client_key_file } = source;
  const read = (file: string | undefined) =>
    file === undefined ? undefined : readFileSync(resolve(dirname(path), file), 'utf8');
  const ca = read(ca_file);
  const [cert, key] = [read(client_cert_file), read(client_key_file)];
  if (ca === undefined && cert === undefined) return undefined;
  const identity = cert === undefined || key === undefined ? undefined : { cert, key };
  checkTlsFiles({ ca, identity });
  return { id: hash('sha256', JSON.stringify([ca, cert, key])), ca, identity };
}

/** Opens a file's credentials. A credential with unchanged settings keeps its OAuth token. */
export function openUpstreams(
  { path, destinations, tls }: LoadedDestinations,
  before: Upstreams,
  deps: TokenDeps,
): Upstreams {
  const credentials = new Map<string, Credential>();
  for (const [name, source] of Object.entries(destinations.credentials)) {
    const secretPath = resolve(dirname(path), secretFileOf(source));
    const isSame = isDeepStrictEqual(before.destinations.credentials[name], source);
    const kept = isSame ? before.credentials.get(name) : undefined;
    credentials.set(name, kept ?? openCredential(name, source, { secretPath, ...deps }));
  }
  return { destinations, fromFile: true, credentials, tls };
}
