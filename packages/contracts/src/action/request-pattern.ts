import type { Method } from '../executor/execution.ts';
import { HOST_FORMS, type HostPattern, parseHost } from './host.ts';
import { isAmbiguousPath, type PathPattern, parsePath, segmentsOf } from './path.ts';
import type { Target } from './url.ts';

/** Requests to one host, as a destinations file or a profile writes them. */
interface PatternSource {
  readonly host: string;
  readonly paths?: readonly string[] | undefined;
}

export interface RequestPattern {
  readonly host: HostPattern;
  /** Patterns of the paths. `undefined` matches every path. */
  readonly paths: readonly PathPattern[] | undefined;
}

/** Parses the host and the paths. Calls `add` for each mistake, with its member and a message. */
export function readPattern(
  source: PatternSource,
  add: (member: string, message: string) => void,
): RequestPattern | undefined {
  const host = parseHost(source.host);
  if (host === undefined) add('/host', `must be ${HOST_FORMS}`);
  const paths = source.paths?.flatMap((text, number): PathPattern[] => {
    const path = parsePath(text);
    if (path.ok) return [path.value];
    add(`/paths/${number}`, path.reason);
    return [];
  });
  return host && { host, paths };
}

interface Indexed {
  readonly host: HostPattern;
  /** Position in the file, counted from 0. */
  readonly index: number;
}

/** Entries in file order by host pattern without port, such as `api.test` or `*.test`. */
export type ByHost<Entry extends Indexed> = ReadonlyMap<string, readonly Entry[]>;

export function groupByHost<Entry extends Indexed>(all: readonly Entry[]): ByHost<Entry> {
  const byHost = new Map<string, Entry[]>();
  for (const each of all) byHost.set(each.host.name, [...(byHost.get(each.host.name) ?? []), each]);
  return byHost;
}

/** Lists the entries for a host, whatever their ports, in file order. */
export function entriesOnHost<Entry extends Indexed>(
  byHost: ByHost<Entry>,
  hostname: string,
): Entry[] {
  const found = [byHost.get(hostname) ?? []];
  // Look up `a.b.test` also as `*.b.test` and `*.test`.
  for (let dot = hostname.indexOf('.', 1); dot !== -1; dot = hostname.indexOf('.', dot + 1))
    found.push(byHost.get(`*${hostname.slice(dot)}`) ?? []);
  return found.flat().sort((one, other) => one.index - other.index);
}

/** The path of a request, as patterns see it. */
export interface RequestPath {
  readonly segments: readonly string[];
  /** True if two servers could read the path differently, such as `/a%2Fb`. */
  readonly isAmbiguous: boolean;
}

export function pathOf({ url, writtenPath }: Target): RequestPath {
  const isAmbiguous = isAmbiguousPath(writtenPath) || isAmbiguousPath(url.pathname);
  return { segments: segmentsOf(url.pathname), isAmbiguous };
}

/** True if the paths of a pattern match. An ambiguous path matches only a pattern without paths. */
export function matchesPath(
  { paths }: Pick<RequestPattern, 'paths'>,
  { segments, isAmbiguous }: RequestPath,
): boolean {
  return paths === undefined || (!isAmbiguous && paths.some((pattern) => pattern(segments)));
}

/** True if a list of methods, or the absence of one, includes a method. */
export const matchesMethod = (methods: readonly Method[] | undefined, method: Method): boolean =>
  methods?.includes(method) ?? true;
