import dns, { type LookupAddress } from 'node:dns';

type Answered = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** How names are resolved: the shape of `dns.lookup` with `all: true`. */
export type Resolve = (hostname: string, answered: Answered) => void;

export const systemResolve: Resolve = (hostname, answered) =>
  dns.lookup(hostname, { all: true }, answered);

/** How many lookups may be in flight. */
export interface LookupLimits {
  readonly total: number;
  /** Per entry of the allowlist, so that the names under `*.domain` leave room for others. */
  readonly perEntry: number;
  /** Two: one that hangs does not block the next. */
  readonly perName: number;
}

/** A `getaddrinfo` cannot be cancelled and holds a thread, for seconds if DNS is silent. */
export const SYSTEM_LOOKUPS: LookupLimits = { total: 16, perEntry: 4, perName: 2 };

export const UNLIMITED: LookupLimits = { total: Infinity, perEntry: Infinity, perName: Infinity };

/** After this time a packet may be lost: the next request starts another lookup. */
const SLOW_MS = 1_000;

/** A name that is being looked up, and those who wait for it. */
interface Search {
  readonly name: string;
  readonly entry: string;
  readonly waiting: Set<Answered>;
  /** When the last lookup began. */
  since: number;
}

/**
 * Bounded name lookups. Concurrent requests for a name share one answer; it is not cached,
 * and each caller judges it.
 */
export class Lookups {
  readonly #resolve: Resolve;
  readonly #limits: LookupLimits;
  readonly #searches = new Map<string, Search>();
  /** One for each lookup in flight. */
  readonly #running: Search[] = [];
  readonly #queue = new Set<Search>();

  constructor(resolve: Resolve, limits: LookupLimits) {
    this.#resolve = resolve;
    this.#limits = limits;
  }

  /** Answers with the addresses of a name; returns a function that stops waiting. */
  find(name: string, entry: string, answered: Answered): () => void {
    const search = this.#searches.get(name) ?? {
      name,
      entry,
      waiting: new Set(),
      since: -Infinity,
    };
    this.#searches.set(name, search);
    search.waiting.add(answered);
    if (performance.now() - search.since > SLOW_MS) this.#queue.add(search);
    this.#startNext();
    return () => {
      if (search.waiting.delete(answered) && search.waiting.size === 0) this.#release(search);
    };
  }

  #startNext(): void {
    for (const search of this.#queue) {
      if (this.#running.length >= this.#limits.total) return;
      if (this.#hasRoom(search)) this.#start(search);
    }
  }

  #hasRoom({ name, entry }: Search): boolean {
    const ofEntry = this.#running.filter((each) => each.entry === entry);
    const ofName = ofEntry.filter((each) => each.name === name);
    return ofEntry.length < this.#limits.perEntry && ofName.length < this.#limits.perName;
  }

  #start(search: Search): void {
    this.#queue.delete(search);
    this.#running.push(search);
    search.since = performance.now();
    this.#resolve(search.name, (error, addresses) => {
      this.#running.splice(this.#running.indexOf(search), 1);
      // Another lookup of the same name may still succeed.
      if (error === null || !this.#running.includes(search)) this.#answer(search, error, addresses);
      this.#startNext();
    });
  }

  #answer(search: Search, ...answer: Parameters<Answered>): void {
    const waiting = [...search.waiting];
    search.waiting.clear();
    this.#release(search);
    for (const answered of waiting) answered(...answer);
  }

  /** Nobody waits any more; the next request starts a new lookup. */
  #release(search: Search): void {
    this.#queue.delete(search);
    if (this.#searches.get(search.name) === search) this.#searches.delete(search.name);
  }
}
