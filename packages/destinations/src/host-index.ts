import type { Destination } from './destinations.ts';
import { PathTree } from './path.ts';

interface HostGroup {
  readonly all: Destination[];
  readonly anyPath: Destination[];
  readonly byPath: PathTree<Destination>;
}

/** Finds destinations by host and path. Ports, methods and callers must be checked separately. */
export class HostIndex {
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

  /** Lists the destinations of a host in file order. The pattern `*.b.test` matches `a.b.test`. */
  find(host: string): Destination[] {
    return inOrder(this.#groupsOf(host).flatMap(({ all }) => all));
  }

  /** Lists the destinations of a host that allow a path, given as normalized segments. */
  findPath(host: string, segments: readonly string[]): Destination[] {
    const found = this.#groupsOf(host).flatMap(({ anyPath, byPath }) => [
      ...anyPath,
      ...byPath.find(segments),
    ]);
    return inOrder(found);
  }

  /** Looks up `a.b.test`, then `.b.test` and `.test`. */
  #groupsOf(host: string): HostGroup[] {
    const groups: HostGroup[] = [];
    for (let at = 0; at !== -1; at = host.indexOf('.', at + 1)) {
      const group = this.#groups.get(host.slice(at));
      if (group !== undefined) groups.push(group);
    }
    return groups;
  }
}

function inOrder(destinations: readonly Destination[]): Destination[] {
  return [...new Set(destinations)].sort((one, other) => one.index - other.index);
}
