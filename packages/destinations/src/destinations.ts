import type {
  CredentialSource,
  Destination as DestinationSource,
  Method,
} from '@gatehouse/contracts';
import { HOST_FORMS, type HostPattern, hostMatches, parseHost } from './host.ts';
import { isAmbiguousPath, normalizePath, type PathPattern, PathTree, parsePath } from './path.ts';

/** An upstream, and the requests that may be sent to it (docs/contract.md, "Destinations"). */
export interface Destination {
  /** Position in the list, counted from 0. */
  readonly index: number;
  /** Line in its file, counted from 1. Undefined in an allowlist. */
  readonly line: number | undefined;
  readonly source: DestinationSource;
  readonly host: HostPattern;
  /** Undefined: every path. */
  readonly paths: readonly PathPattern[] | undefined;
}

/** Facts by which the destination of a request is chosen. */
export interface Asked {
  readonly url: URL;
  /** Path as written in the URL, without its query, because URL parsing resolves dot segments. */
  readonly writtenPath: string;
  readonly method: Method;
  /** Name of the caller, from its token or client certificate. */
  readonly caller: string | undefined;
}

/**
 * Criterion that refused a request: the first of these, in this order, that rules out every
 * remaining destination.
 */
type Criterion = 'host' | 'path' | 'method' | 'caller';

export type Match =
  | { readonly kind: 'match'; readonly destination: Destination }
  | {
      readonly kind: 'refused';
      readonly by: Criterion;
      /** Paths or methods that this caller is allowed instead. */
      readonly allowed: readonly string[];
      /** True if the path can be read in more than one way. */
      readonly ambiguous: boolean;
    };

/** Destinations with the same host, by path. */
interface Group {
  readonly all: readonly Destination[];
  readonly anyPath: readonly Destination[];
  readonly byPath: PathTree<Destination>;
}

export class Destinations {
  readonly all: readonly Destination[];
  readonly credentials: Readonly<Record<string, CredentialSource>>;
  readonly #groups: ReadonlyMap<string, Group>;

  constructor(
    all: readonly Destination[],
    credentials: Readonly<Record<string, CredentialSource>> = {},
  ) {
    this.all = all;
    this.credentials = credentials;
    const byHost = Map.groupBy(all, ({ host }) => host.host);
    this.#groups = new Map([...byHost].map(([host, list]) => [host, toGroup(list)]));
  }

  /** Hosts in canonical form, in the order of the list. */
  get hosts(): string[] {
    return [...new Set(this.all.map(({ host }) => host.text))];
  }

  /** Destinations that match the host and port of a URL, in the order of the list. */
  forHost(url: URL): readonly Destination[] {
    return this.#select(url, ({ all }) => all);
  }

  /** Destinations that match a URL and its normalized path, in the order of the list. */
  forPath(url: URL, path: string): readonly Destination[] {
    const segments = path.split('/');
    return this.#select(url, ({ anyPath, byPath }) => [...anyPath, ...byPath.find(segments)]);
  }

  /** Returns the first destination that allows a request, or the criterion that refused it. */
  find({ method, caller, writtenPath, url }: Asked): Match {
    const ambiguous = isAmbiguousPath(writtenPath) || isAmbiguousPath(url.pathname);
    const paths = ambiguous
      ? this.#select(url, ({ anyPath }) => anyPath)
      : this.forPath(url, normalizePath(url.pathname));
    const methods = paths.filter((each) => allowsMethod(each, method));
    const destination = methods.find((each) => allowsCaller(each, caller));
    if (destination !== undefined) return { kind: 'match', destination };
    const refused = (by: Criterion, allowed: readonly string[] = []): Match => {
      return { kind: 'refused', by, allowed, ambiguous };
    };
    const hosts = this.forHost(url);
    if (hosts.length === 0) return refused('host');
    if (paths.length === 0) return refused('path', allowedTo(caller, hosts, 'paths'));
    if (methods.length === 0) return refused('method', allowedTo(caller, paths, 'methods'));
    return refused('caller');
  }

  #select(url: URL, choose: (group: Group) => readonly Destination[]): readonly Destination[] {
    const found: Destination[] = [];
    for (const host of [url.hostname, ...suffixesOf(url.hostname)]) {
      const group = this.#groups.get(host);
      if (group !== undefined) found.push(...choose(group));
    }
    return found
      .filter(({ host }) => hostMatches(host, url))
      .sort((one, other) => one.index - other.index);
  }
}

/** Maximum number of paths that a refusal lists, because a file may have thousands. */
export const MOST_LISTED = 20;

/**
 * Lists the paths or methods that destinations allow to a caller. Stops after one more than a
 * refusal shows, so that the refusal can say that there are more.
 */
function allowedTo(
  caller: string | undefined,
  destinations: readonly Destination[],
  member: 'paths' | 'methods',
): readonly string[] {
  const found = new Set<string>();
  for (const destination of destinations) {
    if (!allowsCaller(destination, caller)) continue;
    for (const value of destination.source[member] ?? []) found.add(value);
    if (found.size > MOST_LISTED) break;
  }
  return [...found].slice(0, MOST_LISTED + 1);
}

function toGroup(all: readonly Destination[]): Group {
  const byPath = new PathTree<Destination>();
  for (const each of all) for (const path of each.paths ?? []) byPath.add(path, each);
  return { all, anyPath: all.filter(({ paths }) => paths === undefined), byPath };
}

/** Returns `.b.c` and `.c` for `a.b.c`. */
function suffixesOf(hostname: string): string[] {
  const suffixes: string[] = [];
  for (let dot = hostname.indexOf('.'); dot !== -1; dot = hostname.indexOf('.', dot + 1))
    suffixes.push(hostname.slice(dot));
  return suffixes;
}

function allowsMethod({ source: { methods } }: Destination, method: Method): boolean {
  return methods === undefined || methods.includes(method);
}

export function allowsCaller(
  { source: { callers } }: Destination,
  caller: string | undefined,
): boolean {
  return callers === undefined || (caller !== undefined && callers.includes(caller));
}

/** @throws {Error} whose message completes "the host …" or "the path …" */
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
 * Turns the entries of an allowlist into destinations that allow every request to their hosts.
 * @throws {Error} that lists the malformed entries.
 */
export function parseAllowlist(texts: readonly string[]): Destinations {
  const malformed = texts.filter((text) => parseHost(text) === undefined);
  if (malformed.length > 0) {
    const listed = malformed.map((text) => `\`${text}\``).join(', ');
    throw new Error(`${listed} is malformed; each entry must be ${HOST_FORMS}`);
  }
  return new Destinations(texts.map((host, index) => toDestination({ host }, index)));
}
