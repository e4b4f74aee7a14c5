import type { Destination, Destinations } from '@gatehouse/destinations';
import type { Credential } from './credentials/credential.ts';
import type { TlsFiles } from './transport.ts';

/** Destinations with their credentials and TLS files. A reload replaces the whole object. */
export interface Upstreams {
  readonly destinations: Destinations;
  /** True if the destinations come from a destinations file, false if they are a list of hosts. */
  readonly fromFile: boolean;
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly tls: ReadonlyMap<Destination, TlsFiles>;
}
