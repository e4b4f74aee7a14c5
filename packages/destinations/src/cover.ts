import { isDeepStrictEqual } from 'node:util';
import { METHODS } from '@gatehouse/contracts';
import type { Destination, Destinations } from './destinations.ts';
import type { HostPattern } from './host.ts';
import { type PathPattern, PathTree } from './path.ts';

/** True only if `wide` certainly matches every request that `narrow` matches. */
export function covers(wide: Destination, narrow: Destination): boolean {
  return (
    hostCovers(wide.host, narrow.host) &&
    includesAll(wide.source.methods, narrow.source.methods ?? METHODS) &&
    includesAll(wide.source.callers, narrow.source.callers) &&
    (wide.paths === undefined ||
      (narrow.paths !== undefined && pathsCover(wide.paths, narrow.paths)))
  );
}

/** True if every URL that matches `narrow` also matches `wide`. */
function hostCovers(wide: HostPattern, narrow: HostPattern): boolean {
  if (wide.port !== undefined && wide.port !== narrow.port) return false;
  if (!wide.subdomains) return !narrow.subdomains && wide.host === narrow.host;
  return narrow.host.endsWith(wide.host) && (narrow.subdomains || narrow.host !== wide.host);
}

/** True if a request could match both destinations. When in doubt, returns true. */
function overlap(one: Destination, other: Destination, tooMany: () => boolean): boolean {
  const a = { ...one.host, port: one.host.port ?? other.host.port };
  const b = { ...other.host, port: other.host.port ?? one.host.port };
  return (
    (hostCovers(a, b) || hostCovers(b, a)) &&
    listsOverlap(one.source.methods, other.source.methods, (a, b) => a === b) &&
    listsOverlap(one.source.callers, other.source.callers, (a, b) => tooMany() || a === b) &&
    listsOverlap(one.paths, other.paths, (a, b) => tooMany() || pathsOverlap(a, b))
  );
}

/** True only if each path in `narrow` is certainly covered by a single path in `wide`. */
function pathsCover(wide: readonly PathPattern[], narrow: readonly PathPattern[]): boolean {
  const tree = new PathTree<PathPattern>();
  for (const each of wide) tree.add(each, each);
  return narrow.every(({ segments, anyRest }) => {
    // Look up `*` in `narrow` as text, because only `*` in `wide` covers it. Only `**` covers `**`.
    const texts = segments.map((literals) => literals.join('*'));
    const found: PathPattern[] = [];
    tree.find(anyRest ? [...texts, '*'] : texts, found);
    return found.some((each) => each.anyRest || !anyRest);
  });
}

/** True if `wide` has every item of `narrow`. An undefined list has all possible items. */
function includesAll<T>(wide: readonly T[] | undefined, narrow: readonly T[] | undefined): boolean {
  return wide === undefined || (narrow?.every((each) => wide.includes(each)) ?? false);
}

/** True if the lists share an item, as decided by `same`. An undefined list has every item. */
function listsOverlap<T>(
  one: readonly T[] | undefined,
  other: readonly T[] | undefined,
  same: (a: T, b: T) => boolean,
): boolean {
  return one?.some((a) => other?.some((b) => same(a, b)) ?? true) ?? true;
}

/** False if the paths differ at a position where neither segment has a `*`, otherwise true. */
function pathsOverlap(one: PathPattern, other: PathPattern): boolean {
  return one.segments.every((segment, index) => {
    const counterpart = other.segments[index] ?? segment;
    return segment.length > 1 || counterpart.length > 1 || segment[0] === counterpart[0];
  });
}

/** Maximum comparisons of paths or callers, because comparing all pairs could block for seconds. */
const MAX_COMPARISONS = 10_000_000;

/**
 * True if replacing `before` with `after` can allow more requests. Returns false only if:
 * 1. Each destination in `after` is equal to or stricter than one in `before`, with the same
 *    credential and TLS files. The order of destinations is unchanged.
 * 2. No destination can match a request that an earlier one, now removed or narrowed, matched.
 *    Such a request would now use the later destination's credential.
 * Also returns true if the check would take more than `MAX_COMPARISONS` comparisons.
 */
export function loosens(before: Destinations, after: Destinations): boolean {
  const shrunk: Destination[] = [];
  let next = 0;
  let comparisons = 0;
  const tooMany = () => {
    comparisons += 1;
    return comparisons > MAX_COMPARISONS;
  };
  for (const each of after.all) {
    // Start behind the previous match, so that the order of destinations is unchanged.
    const rest = before.all.slice(next);
    const old = rest.find((candidate) => covers(candidate, each) && grantsNoMore(candidate, each));
    const name = each.source.credential ?? '';
    const isSameCredential = isDeepStrictEqual(before.credentials[name], after.credentials[name]);
    if (old === undefined || !isSameCredential) return true;
    for (const removed of before.all.slice(next, old.index)) shrunk.push(removed);
    if (shrunk.some((earlier) => overlap(earlier, each, tooMany))) return true;
    if (!covers(each, old)) shrunk.push(old);
    next = old.index + 1;
  }
  return false;
}

/** True if the credential and the TLS files are unchanged and no limit is higher than before. */
function grantsNoMore({ source: old }: Destination, { source }: Destination): boolean {
  const { POSITIVE_INFINITY: none } = Number;
  // If only one of the two destinations sets `max_executions`, we cannot compare their limits.
  const isComparable = (source.max_executions === undefined) === (old.max_executions === undefined);
  return (
    (source.per_minute ?? none) <= (old.per_minute ?? none) &&
    isComparable &&
    (source.max_executions ?? 0) <= (old.max_executions ?? 0) &&
    SAME_IN_ORIGIN.every((member) => source[member] === old[member])
  );
}

const SAME_IN_ORIGIN = ['credential', 'ca_file', 'client_cert_file', 'client_key_file'] as const;
