import { isDeepStrictEqual } from 'node:util';
import { METHODS } from '@gatehouse/contracts';
import type { Destination, Destinations } from './destinations.ts';
import type { HostPattern } from './host.ts';
import { type PathPattern, segmentMatches } from './path.ts';

/** True only if `wide` certainly matches every request that `narrow` matches. */
export function covers(wide: Destination, narrow: Destination): boolean {
  const [allowed, asked] = [wide.source, narrow.source];
  return (
    hostCovers(wide.host, narrow.host) &&
    includesAll(allowed.methods, asked.methods ?? METHODS) &&
    includesAll(allowed.callers, asked.callers) &&
    (wide.paths === undefined ||
      (narrow.paths?.every((path) => wide.paths?.some((each) => pathCovers(each, path))) ?? false))
  );
}

/** True if every URL that matches `narrow` also matches `wide`. */
function hostCovers(wide: HostPattern, narrow: HostPattern): boolean {
  if (wide.port !== undefined && wide.port !== narrow.port) return false;
  if (!wide.subdomains) return !narrow.subdomains && wide.host === narrow.host;
  return narrow.host.endsWith(wide.host) && (narrow.subdomains || narrow.host !== wide.host);
}

/** True if at least one URL matches both patterns. */
function hostsOverlap(one: HostPattern, other: HostPattern): boolean {
  if (one.port !== undefined && other.port !== undefined && one.port !== other.port) return false;
  const a = { ...one, port: undefined };
  const b = { ...other, port: undefined };
  return hostCovers(a, b) || hostCovers(b, a);
}

/** True only if `wide` certainly matches every path that `narrow` matches. */
function pathCovers(wide: PathPattern, narrow: PathPattern): boolean {
  const { length } = wide.segments;
  const rest = narrow.segments.slice(length).map((literals) => literals.join('*'));
  // `/a/**` does not cover `/a/`, because `**` must match at least one character.
  const isLengthCovered = wide.anyRest
    ? narrow.segments.length >= length && (narrow.anyRest || rest.join('/') !== '')
    : narrow.segments.length === length && !narrow.anyRest;
  return (
    isLengthCovered &&
    wide.segments.every((pattern, index) => segmentCovers(pattern, narrow.segments[index]))
  );
}

/** True if `wide` matches whatever `narrow` matches. Only a `*` can cover a `*` in `narrow`. */
function segmentCovers(wide: readonly string[], narrow: readonly string[] = []): boolean {
  return segmentMatches(wide, narrow.join('*'));
}

/** True if `wide` has every item of `narrow`. An undefined list has all possible items. */
function includesAll<T>(wide: readonly T[] | undefined, narrow: readonly T[] | undefined): boolean {
  if (wide === undefined) return true;
  return narrow?.every((each) => wide.includes(each)) ?? false;
}

/**
 * True if replacing `before` with `after` can allow more requests. Returns false only if:
 * 1. `after` has no new destinations and lists the old ones in the same order. A destination may
 *    become stricter, but must keep its credential and TLS files.
 * 2. Every changed or removed destination was the last one in `before` for its host. If a later
 *    destination has the same host, requests could fall through to that later destination.
 */
export function loosens(before: Destinations, after: Destinations): boolean {
  const kept = new Set<Destination>();
  let next = 0;
  for (const each of after.all) {
    const origin = before.all.slice(next).find((old) => covers(old, each) && grants(old, each));
    const name = each.source.credential ?? '';
    const isSameCredential = isDeepStrictEqual(before.credentials[name], after.credentials[name]);
    if (origin === undefined || !isSameCredential) return true;
    if (isDeepStrictEqual(origin.source, each.source)) kept.add(origin);
    next = origin.index + 1;
  }
  return before.all.some(
    (each) =>
      !kept.has(each) &&
      before.all.slice(each.index + 1).some((later) => hostsOverlap(later.host, each.host)),
  );
}

/** True if the credential and the TLS files are unchanged and no limit is higher than before. */
function grants({ source: old }: Destination, { source }: Destination): boolean {
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
