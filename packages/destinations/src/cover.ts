import { isDeepStrictEqual } from 'node:util';
import type { Destination, Destinations } from './destinations.ts';
import { exampleUrl, hostCovers, hostsOverlap } from './host.ts';
import { examplePath, pathCovers } from './path.ts';

/** Finds an earlier destination that matches every request that `narrow` matches. */
export function coveringDestination(
  destinations: Destinations,
  narrow: Destination,
): Destination | undefined {
  // Only one that matches an example may match everything. Trying all would take seconds.
  const [path] = narrow.paths ?? [];
  return destinations
    .forPath(exampleUrl(narrow.host), path === undefined ? '/' : examplePath(path))
    .find((each) => each.index < narrow.index && covers(each, narrow));
}

/** True if `wide` surely matches every request that `narrow` matches. */
function covers(wide: Destination, narrow: Destination): boolean {
  const [allowed, asked] = [wide.source, narrow.source];
  return (
    hostCovers(wide.host, narrow.host) &&
    includesAll(allowed.methods, asked.methods) &&
    includesAll(allowed.callers, asked.callers) &&
    (wide.paths === undefined ||
      (narrow.paths?.every((path) => wide.paths?.some((each) => pathCovers(each, path))) ?? false))
  );
}

/** Undefined means everything. */
function includesAll<T>(wide: readonly T[] | undefined, narrow: readonly T[] | undefined): boolean {
  if (wide === undefined) return true;
  return narrow?.every((each) => wide.includes(each)) ?? false;
}

/**
 * True unless every request that `after` allows was allowed before, with the same credential and
 * with limits that were not stricter. In doubt, true.
 *
 * Each destination of `after` needs an origin in `before` that covers it and grants as much, and the
 * origins must keep their order. The origin then decided the same requests before, unless an earlier
 * destination decided some of them. An earlier one that is unchanged still decides those. One that
 * was narrowed or removed must not share a host with a later one, which may match them now.
 */
export function loosens(before: Destinations, after: Destinations): boolean {
  const origins = findOrigins(before, after);
  if (origins === undefined) return true;
  const heirs = Map.groupBy(after.all, (_each, index) => origins[index]);
  if ([...heirs].some(([origin, { length }]) => length > 1 && hasLimits(origin))) return true;
  const isUnchanged = (each: Destination) =>
    isDeepStrictEqual(heirs.get(each)?.map(toSource), [each.source]);
  const sharesHost = ({ host, index }: Destination) =>
    before.all.slice(index + 1).some((later) => hostsOverlap(later.host, host));
  return before.all.some((each) => !isUnchanged(each) && sharesHost(each));
}

/** Each of several heirs would have the whole limit, because limits are counted by destination. */
const hasLimits = (origin: Destination | undefined) =>
  (origin?.source.per_minute ?? origin?.source.max_executions) !== undefined;

const toSource = ({ source }: Destination) => source;

/** Finds the first possible origin of each destination; undefined if one has none. */
function findOrigins(before: Destinations, after: Destinations): Destination[] | undefined {
  const origins: Destination[] = [];
  for (const each of after.all) {
    // Several destinations may have one origin, so the search begins with the last origin.
    const origin = before.all
      .slice(origins.at(-1)?.index)
      .find((old) => covers(old, each) && grants(old, each));
    if (origin === undefined || !hasSameCredential(before, after, each)) return undefined;
    origins.push(origin);
  }
  return origins;
}

function hasSameCredential(
  before: Destinations,
  after: Destinations,
  { source: { credential = '' } }: Destination,
): boolean {
  return isDeepStrictEqual(before.credentials[credential], after.credentials[credential]);
}

/** True if `old` has the same credential and TLS files, and limits that are not stricter. */
function grants({ source: old }: Destination, { source }: Destination): boolean {
  const { POSITIVE_INFINITY: none } = Number;
  return (
    (source.per_minute ?? none) <= (old.per_minute ?? none) &&
    (source.max_executions ?? none) <= (old.max_executions ?? none) &&
    SAME_IN_ORIGIN.every((member) => source[member] === old[member])
  );
}

const SAME_IN_ORIGIN = ['credential', 'ca_file', 'client_cert_file', 'client_key_file'] as const;
