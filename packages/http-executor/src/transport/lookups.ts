import dns, { type LookupAddress } from 'node:dns';

type Answered = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

export type Resolve = (hostname: string, answered: Answered) => void;

export const systemResolve: Resolve = (hostname, answered) =>
  dns.lookup(hostname, { all: true }, answered);

/** Maximum number of concurrent DNS lookups. Each lookup may block a Node thread for seconds. */
export const MAX_LOOKUPS = 16;
/** Maximum concurrent lookups per allowlist entry, so that a slow domain cannot block others. */
const MAX_LOOKUPS_PER_ENTRY = 4;

interface Lookup {
  readonly name: string;
  readonly entry: string;
  readonly waiting: Set<Answered>;
  isRunning: boolean;
}

/** Limits DNS lookups. Concurrent requests to one host share a lookup, but no answer is cached. */
export class Lookups {
  readonly #resolve: Resolve;
  /** Queued and running lookups, oldest first. */
  readonly #open = new Set<Lookup>();

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  /** Resolves a name. Call the returned function to stop waiting for the answer. */
  find(name: string, entry: string, answered: Answered): () => void {
    // Do not share a lookup if all earlier requests have given up on it, because it may be hanging.
    const shared = [...this.#open].find((each) => each.name === name && each.waiting.size > 0);
    const lookup = shared ?? { name, entry, waiting: new Set(), isRunning: false };
    lookup.waiting.add(answered);
    this.#open.add(lookup);
    this.#startNext();
    return () => {
      lookup.waiting.delete(answered);
      if (lookup.waiting.size === 0 && !lookup.isRunning) this.#open.delete(lookup);
    };
  }

  #startNext(): void {
    const running = [...this.#open].filter(({ isRunning }) => isRunning);
    for (const lookup of this.#open) {
      if (running.length >= MAX_LOOKUPS) return;
      const ofEntry = running.filter(({ entry }) => entry === lookup.entry);
      if (lookup.isRunning || ofEntry.length >= MAX_LOOKUPS_PER_ENTRY) continue;
      running.push(lookup);
      this.#start(lookup);
    }
  }

  #start(lookup: Lookup): void {
    lookup.isRunning = true;
    this.#resolve(lookup.name, (error, addresses) => {
      this.#open.delete(lookup);
      for (const answered of lookup.waiting) answered(error, addresses);
      this.#startNext();
    });
  }
}
