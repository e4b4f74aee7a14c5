import type { Destination, Destinations } from '@gatehouse/destinations';
import type { Credential } from './credentials/credential.ts';
import type { TlsFiles } from './transport.ts';

/** Destinations with their credentials and TLS files. A reload replaces all of them at once. */
export interface Upstreams {
  readonly destinations: Destinations;
  /** True if the destinations come from a file, rather than from a list of hosts. */
  readonly fromFile: boolean;
  /** Credentials by name. */
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly tls: ReadonlyMap<Destination, TlsFiles>;
}

/** Returns upstreams without credentials and TLS files. */
export function listedHosts(destinations: Destinations): Upstreams {
  return { destinations, fromFile: false, credentials: new Map(), tls: new Map() };
}
