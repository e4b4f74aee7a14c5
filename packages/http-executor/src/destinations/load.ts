import { createPrivateKey, hash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import {
  checkCertificates,
  type ReadFile,
  readRegularFile,
  readTextFile,
} from '@gatehouse/config-file';
import type { Destination, Destinations } from './destinations.ts';
import { MAX_BYTES, readDestinations } from './file.ts';
import { isPair, type TlsFiles } from './tls-files.ts';

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
  const read = (file: string | undefined, check: (pem: string) => unknown) => {
    if (file === undefined) return undefined;
    const where = resolve(dirname(path), file);
    try {
      const pem = readFile(where).toString();
      check(pem);
      return pem;
    } catch (error) {
      throw new Error(`\`${where}\`: ${(error as Error).message}`);
    }
  };
  const ca = read(ca_file, checkCertificates);
  const cert = read(client_cert_file, checkCertificates);
  const key = read(client_key_file, createPrivateKey);
  if (ca === undefined && cert === undefined) return undefined;

  const identity = cert === undefined || key === undefined ? undefined : { cert, key };
  if (identity !== undefined && !isPair(identity))
    throw new Error(
      `the private key in \`${client_key_file}\` does not belong to the certificate in \`${client_cert_file}\``,
    );

  return { id: hash('sha256', JSON.stringify([ca, cert, key])), ca, identity };
}
