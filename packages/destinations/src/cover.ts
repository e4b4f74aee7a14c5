import { isDeepStrictEqual } from 'node:util';
import type { Destination, Destinations } from './destinations.ts';
import { hostCovers, hostsOverlap } from './host.ts';
import { pathCovers } from './path.ts';

/** True if `wide` certainly matches every request that `narrow` matches. In doubt, false. */
export function covers(wide: Destination, narrow: Destination): boolean {
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
 * For false, each destination of `after` must be a destination of `before` that was kept or
 * narrowed, in the same order. A destination that was narrowed or removed must not share a host
 * with a later destination of `before`, because the later one may now match requests that the
 * first one matched.
 */
export function loosens(before: Destinations, after: Destinations): boolean {
  const kept = new Set<Destination>();
  let next = 0;
  for (const each of after.all) {
    const origin = before.all.slice(next).find((old) => covers(old, each) && grants(old, each));
    if (origin === undefined || !hasSameCredential(before, after, each)) return true;
    if (isDeepStrictEqual(origin.source, each.source)) kept.add(origin);
    next = origin.index + 1;
  }
  return before.all.some(
    (each) =>
      !kept.has(each) &&
      before.all.slice(each.index + 1).some((later) => hostsOverlap(later.host, each.host)),
  );
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
