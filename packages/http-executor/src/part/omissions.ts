import { pointerToken } from '@gatehouse/contracts';

/** A place in a body where something is missing, and how much. */
export type Omission = { readonly pointer: string } & (
  | { readonly bytes: number }
  | { readonly items: number }
  | { readonly members: number }
);

/** JSON Pointer to a place, or undefined if it would be too long to show. */
export type Pointer = string | undefined;

const MAX_POINTER_CHARS = 300;

/** Appends a segment to a pointer. `name` is read only if the pointer can still be shown. */
export function extend(pointer: Pointer, name: () => string): Pointer {
  if (pointer === undefined) return undefined;
  const longer = `${pointer}/${pointerToken(name())}`;
  return longer.length > MAX_POINTER_CHARS ? undefined : longer;
}

const MOST_LISTED = 20;

/**
 * Collects omissions. An outcome lists the first 20, and counts the bytes of the others and of
 * those with a long pointer together (docs/contract.md, "Answers for models").
 */
export class Omissions {
  readonly #listed: Omission[] = [];
  #rest = 0;

  /** `bytes` is what is missing in the JSON text, whatever the unit of the omission. */
  add(pointer: Pointer, missing: Omit<Omission, 'pointer'>, bytes: number): void {
    if (pointer === undefined || this.#listed.length === MOST_LISTED) this.#rest += bytes;
    else this.#listed.push({ pointer, ...missing } as Omission);
  }

  get list(): readonly Omission[] {
    return this.#rest === 0 ? this.#listed : [...this.#listed, { pointer: '', bytes: this.#rest }];
  }
}
