/** Inputs during which `GET /healthz` was held up, by them or by the machine. */
export interface Suspect {
  readonly ms: number;
  readonly indexes: readonly number[];
}

const STALL_MS = 100;
const TRIES = 2;
/** More would take longer than it took to find them; they count as they are. */
const MAX_SUSPECTS = 200;

/** Notes stalls, and makes them again afterwards: what the machine did does not repeat. */
export class Suspects {
  readonly #suspects: Suspect[] = [];

  get count(): number {
    return this.#suspects.length;
  }

  note(ms: number, indexes: readonly number[]): void {
    this.#suspects.push({ ms, indexes });
  }

  /** Those that stall every time; `replay` sends inputs and resolves with the longest delay. */
  async confirm(replay: (indexes: readonly number[]) => Promise<number>): Promise<Suspect[]> {
    const culprits: Suspect[] = [];
    for (const [n, { ms, indexes }] of this.#suspects.splice(0).entries()) {
      const least = n < MAX_SUSPECTS ? await this.#leastOf(replay, ms, indexes) : ms;
      if (least > STALL_MS) culprits.push({ ms: least, indexes });
    }
    return culprits;
  }

  async #leastOf(
    replay: (indexes: readonly number[]) => Promise<number>,
    ms: number,
    indexes: readonly number[],
  ) {
    let least = ms;
    for (let left = TRIES; left > 0 && least > STALL_MS; left--)
      least = Math.min(least, await replay(indexes));
    return least;
  }
}
