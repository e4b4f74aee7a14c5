import { hash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { type ReadFile, readRegularFile, readTextFile } from '@gatehouse/config-file';
import type { Destination, Destinations } from './destinations.ts';
import { MAX_BYTES, readDestinations } from './file.ts';
import { checkTlsFiles, type TlsFiles } from './tls-files.ts';

/** A destinations file and the TLS files that it names. */
export interface LoadedDestinations {
  readonly path: string;
  readonly destinations: Destinations;
  readonly tls: ReadonlyMap<Destination, TlsFiles>;
}

/** Reads a destinations file and its TLS files. @throws {Error} if any of them is unusable */
export function loadDestinations(path: string, readFile = readRegularFile): LoadedDestinations {
  const destinations = readDestinations(readTextFile(path, MAX_BYTES, readFile), path);
  const tls = new Map<Destination, TlsFiles>();
  for (const each of destinations.all) {
    try {
      const files = readTls(each, path, readFile);
      if (files !== undefined) tls.set(each, files);
    } catch (error) {
      const reason = (error as Error).message;
      throw new Error(
        `${path}:${each.line}: /destinations/${each.index} has TLS files that cannot be used: ${reason}`,
      );
    }
  }
  return { path, destinations, tls };
}

function readTls({ source }: Destination, path: string, readFile: ReadFile): TlsFiles | undefined {
  const { ca_file, client_cert_file, client_key_file } = source;
  const read = (file: string | undefined) =>
    file === undefined ? undefined : readFile(resolve(dirname(path), file)).toString();
  const ca = read(ca_file);
  const [cert, key] = [read(client_cert_file), read(client_key_file)];
  if (ca === undefined && cert === undefined) return undefined;
  const identity = cert === undefined || key === undefined ? undefined : { cert, key };
  checkTlsFiles({ ca, identity });
  return { id: hash('sha256', JSON.stringify([ca, cert, key])), ca, identity };
}
