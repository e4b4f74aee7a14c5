import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Destination, Destinations } from './destinations.ts';
import { readDestinations, readDestinationsText } from './file.ts';
import { checkTlsFiles, type TlsFiles } from './tls-files.ts';

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
