import type { CredentialSource, Destination as DestinationSource } from '@gatehouse/contracts';
import { HOST_FORMS, type HostPattern, parseHost } from './host.ts';
import { type PathPattern, PathTree, parsePath } from './path.ts';

/** An upstream, and the requests that may be sent to it (docs/contract.md, "Destinations"). */
export interface Destination {
  /** Position in the list of destinations, counted from 0. */
  readonly index: number;
  /** Line in the destinations file, counted from 1, or undefined for an allowlist entry. */
  readonly line: number | undefined;
  readonly source: DestinationSource;
  readonly host: HostPattern;
  /** Patterns of the allowed paths. `undefined` allows every path. */
  readonly paths: readonly PathPattern[] | undefined;
}

export interface Destinations {
  readonly all: readonly Destination[];
  /** Index of `all`, for fast lookup among thousands of destinations. */
  readonly byHost: HostIndex;
  readonly credentials: Readonly<Record<string, CredentialSource>>;
}

export function toDestinations(
  all: readonly Destination[],
  credentials: Destinations['credentials'] = {},
): Destinations {
  return { all, byHost: new HostIndex(all), credentials };
}

/** Lists the hosts of the destinations without duplicates, in canonical form. */
export function listHosts(destinations: readonly Destination[]): string[] {
  return [...new Set(destinations.map(({ host }) => host.text))];
}

/** Parses the host and the paths. @throws {Error} with a message such as "must begin with `/`" */
export function toDestination(
  source: DestinationSource,
  index: number,
  line?: number,
): Destination {
  const host = parseHost(source.host);
  if (host === undefined) throw new Error(`must be ${HOST_FORMS}`);
  return { index, line, source, host, paths: source.paths?.map(parsePath) };
}

/**
 * Returns destinations that allow every request to the given hosts.
 * @throws {Error} with a list of the malformed hosts
 */
export function parseAllowlist(texts: readonly string[]): Destinations {
  const malformed = texts.filter((text) => parseHost(text) === undefined);
  if (malformed.length > 0) {
    const listed = malformed.map((text) => `\`${text}\``).join(', ');
    throw new Error(`${listed} is malformed; each entry must be ${HOST_FORMS}`);
  }
  return toDestinations(texts.map((host, index) => toDestination({ host }, index)));
}

interface HostGroup {
  readonly all: Destination[];
  readonly anyPath: Destination[];
  readonly byPath: PathTree<Destination>;
}

/** Finds destinations by host and path, but does not check ports, methods or callers. */
class HostIndex {
  /** Destinations by host. The key for the pattern `*.b.test` is `.b.test`. */
  readonly #groups = new Map<string, HostGroup>();

  constructor(destinations: readonly Destination[]) {
    for (const each of destinations) {
      const { host } = each.host;
      const group = this.#groups.get(host) ?? { all: [], anyPath: [], byPath: new PathTree() };
      this.#groups.set(host, group);
      group.all.push(each);
      if (each.paths === undefined) group.anyPath.push(each);
      for (const path of each.paths ?? []) group.byPath.add(path, each);
    }
  }

  /** Lists a host's destinations in file order. The pattern `*.b.test` matches `a.b.test`. */
  find(host: string): readonly Destination[] {
    return this.#inFileOrder(this.#groupsOf(host).flatMap(({ all }) => all));
  }

  /** Lists a host's destinations that allow a path, which must be normalized and split at `/`. */
  findPath(host: string, segments: readonly string[]): readonly Destination[] {
    const found: Destination[] = [];
    for (const { anyPath, byPath } of this.#groupsOf(host)) {
      for (const each of anyPath) found.push(each);
      byPath.find(segments, found);
    }
    return this.#inFileOrder(found);
  }

  /** Looks up a host such as `a.b.test` under the keys `a.b.test`, `.b.test` and `.test`. */
  #groupsOf(host: string): HostGroup[] {
    const groups: HostGroup[] = [];
    for (let at = 0; at !== -1; at = host.indexOf('.', at + 1)) {
      const group = this.#groups.get(host.slice(at));
      if (group !== undefined) groups.push(group);
    }
    return groups;
  }

  #inFileOrder(found: readonly Destination[]): readonly Destination[] {
    if (found.length < 2) return found;
    return [...new Set(found)].sort((one, other) => one.index - other.index);
  }
}
