import dns, { type LookupAddress } from 'node:dns';

type Answered = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** How names are resolved: the shape of `dns.lookup` with `all: true`. */
export type Resolve = (hostname: string, answered: Answered) => void;

export const systemResolve: Resolve = (hostname, answered) =>
  dns.lookup(hostname, { all: true }, answered);

/** Lookups in flight: a `getaddrinfo` cannot be cancelled, and holds a thread for seconds. */
export const MAX_LOOKUPS = 16;
/** Per entry of the allowlist, so that the names under `*.domain` leave room for others. */
const MAX_LOOKUPS_PER_ENTRY = 4;

/** The lookup of a name, and those who wait for it. */
interface Lookup {
  readonly name: string;
  readonly entry: string;
  readonly waiting: Set<Answered>;
}

/**
 * Bounded name lookups. Concurrent requests for a name share one lookup. Its answer is not
 * cached, and each caller checks it.
 */
export class Lookups {
  readonly #resolve: Resolve;
  /** By name, those that a request may still join. */
  readonly #open = new Map<string, Lookup>();
  readonly #queue = new Set<Lookup>();
  readonly #running = new Set<Lookup>();

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  /** Answers with the addresses of a name; returns a function that stops waiting. */
  find(name: string, entry: string, answered: Answered): () => void {
    const lookup = this.#open.get(name) ?? this.#enqueue(name, entry);
    lookup.waiting.add(answered);
    this.#startNext();
    return () => {
      // If nobody waits any more, the next request starts another one: this one may hang.
      if (lookup.waiting.delete(answered) && lookup.waiting.size === 0) this.#close(lookup);
    };
  }

  #enqueue(name: string, entry: string): Lookup {
    const lookup = { name, entry, waiting: new Set<Answered>() };
    this.#open.set(name, lookup);
    this.#queue.add(lookup);
    return lookup;
  }

  #startNext(): void {
    for (const lookup of this.#queue) {
      if (this.#running.size >= MAX_LOOKUPS) return;
      const ofEntry = [...this.#running].filter(({ entry }) => entry === lookup.entry);
      if (ofEntry.length < MAX_LOOKUPS_PER_ENTRY) this.#start(lookup);
    }
  }

  #start(lookup: Lookup): void {
    this.#queue.delete(lookup);
    this.#running.add(lookup);
    this.#resolve(lookup.name, (error, addresses) => {
      this.#running.delete(lookup);
      this.#close(lookup);
      for (const answered of lookup.waiting) answered(error, addresses);
      this.#startNext();
    });
  }

  #close(lookup: Lookup): void {
    this.#queue.delete(lookup);
    if (this.#open.get(lookup.name) === lookup) this.#open.delete(lookup.name);
  }
}
