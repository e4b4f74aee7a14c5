import { isDeepStrictEqual } from 'node:util';
import type { Destination, Destinations } from './destinations.ts';
import { exampleUrl, hostCovers, hostsOverlap } from './host.ts';
import { examplePath, pathCovers } from './path.ts';

/** Finds an earlier destination that matches every request that `narrow` matches. */
export function coveringDestination(
  destinations: Destinations,
  narrow: Destination,
): Destination | undefined {
  // Compare `narrow` only with destinations that match one example of its requests, because any
  // destination that covers `narrow` matches that example. Comparing `narrow` with every
  // destination would take seconds if there are thousands.
  const [path] = narrow.paths ?? [];
  return destinations
    .forPath(exampleUrl(narrow.host), path === undefined ? '/' : examplePath(path))
    .find((each) => each.index < narrow.index && covers(each, narrow));
}

/** True if `wide` certainly matches every request that `narrow` matches. In doubt, false. */
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
 * True if the change may allow more. False only if every request that `after` allows was allowed
 * before, with the same credential and under limits that were at least as high. In doubt, true.
 *
 * For false, each destination of `after` must have an origin: a destination of `before` that covers
 * it and grants at least as much. The origins must be in the same order as their destinations. A
 * destination that was narrowed or removed must not share a host with a later destination of
 * `before`, because the later one may now match requests that the first one matched.
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

/** If a destination with limits was split, each part would have the whole limit of the original. */
const hasLimits = (origin: Destination | undefined) =>
  (origin?.source.per_minute ?? origin?.source.max_executions) !== undefined;

const toSource = ({ source }: Destination) => source;

/**
 * Finds the first possible origin of each destination. Returns undefined if any of them has none.
 */
function findOrigins(before: Destinations, after: Destinations): Destination[] | undefined {
  const origins: Destination[] = [];
  for (const each of after.all) {
    // Start at the origin that was found last, not after it, because several destinations may have
    // the same origin.
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

/**
 * True if the new destination has the same credential and TLS files as `old`, and limits that are
 * at least as strict.
 */
function grants({ source: old }: Destination, { source }: Destination): boolean {
  const { POSITIVE_INFINITY: none } = Number;
  // Without `max_executions`, the limit of the host applies, which may be lower or higher.
  const isKnown = (source.max_executions === undefined) === (old.max_executions === undefined);
  return (
    (source.per_minute ?? none) <= (old.per_minute ?? none) &&
    isKnown &&
    (source.max_executions ?? 0) <= (old.max_executions ?? 0) &&
    SAME_IN_ORIGIN.every((member) => source[member] === old[member])
  );
}

const SAME_IN_ORIGIN = ['credential', 'ca_file', 'client_cert_file', 'client_key_file'] as const;
