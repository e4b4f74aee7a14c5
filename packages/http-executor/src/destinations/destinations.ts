import type { CredentialSource, Destination as DestinationSource } from '@gatehouse/contracts';
import { HOST_FORMS, type HostPattern, parseHost } from './host.ts';
import type { PathPattern } from './url.ts';
import { isLoopback, portOf } from './url.ts';

/** An upstream, and the requests that may be sent to it (docs/contract.md, "Destinations"). */
export interface Destination {
  /** Position in the list of destinations, counted from 0. */
  readonly index: number;
  /** Line in the destinations file, counted from 1, or undefined for an allowlist entry. */
  readonly line: number | undefined;
  readonly source: DestinationSource;
  readonly host: HostPattern;
  readonly ports: number | 'any' | 'default';
  /** Patterns of the allowed paths. `undefined` allows every path. */
  readonly paths: readonly PathPattern[] | undefined;
}

export interface Destinations {
  /** All destinations in file order. */
  readonly all: readonly Destination[];
  /** Destinations in file order by host pattern without port, such as `api.test` or `*.test`. */
  readonly byHost: ReadonlyMap<string, readonly Destination[]>;
  readonly credentials: Readonly<Record<string, CredentialSource>>;
  /** Line of each credential in the destinations file, counted from 1. */
  readonly credentialLines: ReadonlyMap<string, number>;
}

export function toDestination(
  source: DestinationSource,
  host: HostPattern,
  rest: Pick<Destination, 'index' | 'line' | 'paths'>,
): Destination {
  // Otherwise a caller could choose the port that gets the credential.
  const isRestricted = source.credential !== undefined && !isLoopback(host.name);
  return { ...rest, source, host, ports: host.port ?? (isRestricted ? 'default' : 'any') };
}

export function toDestinations(
  all: readonly Destination[],
  credentials: Destinations['credentials'] = {},
  credentialLines: Destinations['credentialLines'] = new Map(),
): Destinations {
  const byHost = new Map<string, Destination[]>();
  for (const each of all) byHost.set(each.host.name, [...(byHost.get(each.host.name) ?? []), each]);
  return { all, byHost, credentials, credentialLines };
}

/** Lists the destinations on a host, whatever their ports, in file order. */
export function destinationsOnHost({ byHost }: Destinations, hostname: string) {
  const found = [byHost.get(hostname) ?? []];
  // Look up `a.b.test` also as `*.b.test` and `*.test`.
  for (let dot = hostname.indexOf('.', 1); dot !== -1; dot = hostname.indexOf('.', dot + 1))
    found.push(byHost.get(`*${hostname.slice(dot)}`) ?? []);
  return found.flat().sort((one, other) => one.index - other.index);
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
      return toDestination({ host: text }, host, { index, line: undefined, paths: undefined });
    malformed.push(`\`${text}\``);
    return [];
  });
  if (malformed.length === 0) return toDestinations(all);
  throw new Error(`${malformed.join(', ')} is malformed; each entry must be ${HOST_FORMS}`);
}
