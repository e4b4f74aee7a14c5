/** A place in a body where something is missing, and how much. */
export type Omission = { readonly pointer: string } & (
  | { readonly bytes: number }
  | { readonly items: number }
  | { readonly members: number }
);

const MOST_LISTED = 20;

/** Collects omissions. An outcome lists the first 20 (docs/contract.md, "omitted"). */
export class Omissions {
  readonly #listed: Omission[] = [];
  #rest = 0;

  /** `bytes` is what is missing in the JSON text, whatever the unit of the omission. */
  add(omission: Omission, bytes: number): void {
    if (this.#listed.length < MOST_LISTED) this.#listed.push(omission);
    else this.#rest += bytes;
  }

  get list(): readonly Omission[] {
    return this.#rest === 0 ? this.#listed : [...this.#listed, { pointer: '', bytes: this.#rest }];
  }
}
