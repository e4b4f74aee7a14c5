import type { Destination } from './destinations.ts';
import type { LoadedDestinations } from './load.ts';

/** Hosts of the destinations that differ between two files, at most 20 in each list. */
export interface DestinationChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Destinations that were edited or moved, or whose credential or TLS files are different. */
  readonly changed: readonly string[];
}

/** Compares two destinations files, except for credentials that no destination uses. */
export function compareDestinations(
  before: LoadedDestinations,
  after: LoadedDestinations,
): DestinationChanges {
  const [old, now] = [byContent(before), byContent(after)];
  const gone = [...old].filter(([content]) => !now.has(content)).map(([, each]) => each);
  const added = [...now].filter(([content]) => !old.has(content)).map(([, each]) => each);
  const changed = [...movedIn(old, now)];

  // A destination that was removed and one that was added on the same host are one that changed.
  const removed: Destination[] = [];
  for (const each of gone) {
    const at = added.findIndex(({ host }) => host.text === each.host.text);
    if (at === -1) removed.push(each);
    else changed.push(...added.splice(at, 1));
  }
  return { added: hostsOf(added), removed: hostsOf(removed), changed: hostsOf(changed) };
}

/** Destinations by everything that decides what they allow and send, except for their order. */
function byContent({ destinations, tls }: LoadedDestinations): Map<string, Destination> {
  const { all, credentials } = destinations;
  return new Map(
    all.map((each) => {
      const credential = credentials[each.source.credential ?? ''];
      return [JSON.stringify([each.source, credential, tls.get(each)?.id]), each];
    }),
  );
}

/** Returns destinations in both files that are now in another order, which decides who matches. */
function movedIn(
  old: ReadonlyMap<string, Destination>,
  now: ReadonlyMap<string, Destination>,
): Destination[] {
  const before = [...old.keys()].filter((content) => now.has(content));
  const after = [...now].filter(([content]) => old.has(content));
  return after.filter(([content], at) => content !== before[at]).map(([, each]) => each);
}

const MOST_LISTED = 20;

function hostsOf(destinations: readonly Destination[]): string[] {
  const hosts = destinations.map(({ host }) => host.text);
  const more = hosts.length - MOST_LISTED + 1;
  return more > 1 ? [...hosts.slice(0, MOST_LISTED - 1), `and ${more} more`] : hosts;
}
