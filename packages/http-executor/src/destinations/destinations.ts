import type { CredentialSource, Destination as DestinationSource } from '@gatehouse/contracts';
import {
  type ByHost,
  groupByHost,
  HOST_FORMS,
  isLoopback,
  parseHost,
  portOf,
  type RequestPattern,
} from '@gatehouse/contracts/action';

/** An upstream, and the requests that may be sent to it (docs/contract.md, "Destinations"). */
export interface Destination extends RequestPattern {
  /** Position in the list of destinations, counted from 0. */
  readonly index: number;
  /** Line in the destinations file, counted from 1, or undefined for an allowlist entry. */
  readonly line: number | undefined;
  readonly source: DestinationSource;
  readonly ports: number | 'any' | 'default';
}

export interface Destinations {
  /** All destinations in file order. */
  readonly all: readonly Destination[];
  readonly byHost: ByHost<Destination>;
  readonly credentials: Readonly<Record<string, CredentialSource>>;
  /** Line of each credential in the destinations file, counted from 1. */
  readonly credentialLines: ReadonlyMap<string, number>;
}

export function toDestination(
  source: DestinationSource,
  pattern: RequestPattern,
  place: Pick<Destination, 'index' | 'line'>,
): Destination {
  const { host } = pattern;
  // Otherwise a caller could choose the port that gets the credential.
  const isRestricted = source.credential !== undefined && !isLoopback(host.name);
  return { ...place, ...pattern, source, ports: host.port ?? (isRestricted ? 'default' : 'any') };
}

export function toDestinations(
  all: readonly Destination[],
  credentials: Destinations['credentials'] = {},
  credentialLines: Destinations['credentialLines'] = new Map(),
): Destinations {
  return { all, byHost: groupByHost(all), credentials, credentialLines };
}

export function allowsPort({ ports }: Destination, url: URL): boolean {
  return ports === 'any' || (ports === 'default' ? url.port === '' : ports === portOf(url));
}

export function allowsCaller({ source: { callers } }: Destination, caller: string | undefined) {
  return callers === undefined || (caller !== undefined && callers.includes(caller));
}

/** Lists the hosts of the destinations without duplicates, in canonical form. */
export function listHosts(destinations: readonly Destination[]): string[] {
  return [...new Set(destinations.map(({ host }) => host.text))];
}

/**
 * Turns a list of hosts into destinations that allow every request to these hosts.
 * @throws {Error} with a list of the malformed hosts
 */
export function parseAllowlist(texts: readonly string[]): Destinations {
  const malformed: string[] = [];
  const all = texts.flatMap((text, index) => {
    const host = parseHost(text);
    if (host !== undefined)
      return toDestination({ host: text }, { host, paths: undefined }, { index, line: undefined });
    malformed.push(`\`${text}\``);
    return [];
  });
  if (malformed.length === 0) return toDestinations(all);
  throw new Error(`${malformed.join(', ')} is malformed; each entry must be ${HOST_FORMS}`);
}
