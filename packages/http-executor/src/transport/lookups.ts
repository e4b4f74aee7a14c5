import dns, { type LookupAddress } from 'node:dns';

type Answered = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

export type Resolve = (hostname: string, answered: Answered) => void;

export const systemResolve: Resolve = (hostname, answered) =>
  dns.lookup(hostname, { all: true }, answered);

/** `getaddrinfo` cannot be cancelled and may block a thread for seconds, so we limit lookups. */
export const MAX_LOOKUPS = 16;
/** Limit per allowlist entry, so that names under `*.domain` do not block other entries. */
const MAX_LOOKUPS_PER_ENTRY = 4;

interface Lookup {
  readonly name: string;
  readonly entry: string;
  readonly waiting: Set<Answered>;
}

/**
 * Limits concurrent name lookups. Concurrent requests for a name share one lookup, but its answer
 * is not cached.
 */
export class Lookups {
  readonly #resolve: Resolve;
  /** Lookups in progress, keyed by host name, so that later requests can share them. */
  readonly #open = new Map<string, Lookup>();
  readonly #queue = new Set<Lookup>();
  readonly #running = new Set<Lookup>();

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  /** Resolves a name. Returns a function that stops waiting for the answer. */
  find(name: string, entry: string, answered: Answered): () => void {
    const lookup = this.#open.get(name) ?? this.#enqueue(name, entry);
    lookup.waiting.add(answered);
    this.#startNext();
    return () => {
      // A lookup that no one waits for may be hanging, so the next request must not share it.
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
