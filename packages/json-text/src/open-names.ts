import { endOfString } from './tokens.ts';

/** A name with its quotes, in an object of this depth. */
export interface WrittenName {
  readonly depth: number;
  readonly start: number;
  readonly end: number;
}

/** The member names of the objects around a position, compared without escapes. */
export class OpenNames {
  readonly #bytes: Buffer;
  /** Names of the open object at each depth. */
  readonly #names: Set<string>[] = [];
  /** Latest name at each depth. */
  readonly #latest: string[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  open(depth: number): void {
    const earlier = this.#names[depth];
    if (earlier === undefined) this.#names[depth] = new Set();
    else earlier.clear();
    this.#latest[depth] = '';
  }

  /** Adds a name to the object of its depth. Returns false if the object has it already. */
  add({ depth, start, end }: WrittenName): boolean {
    const names = this.#names[depth] as Set<string>;
    const { size } = names;
    // Names are compared as UTF-8 read as latin1, which is the fastest way to make strings.
    const written = this.#bytes.toString('latin1', start + 1, end - 1);
    const name = written.includes('\\') ? inLatin1(nameAt(this.#bytes, start)) : written;
    this.#latest[depth] = name;
    return names.add(name).size > size;
  }

  /** Whether the latest name is `__proto__`, or the `prototype` of a `constructor`. */
  reachesPrototype({ depth }: WrittenName): boolean {
    const name = this.#latest[depth];
    if (name === '__proto__') return true;
    return name === 'prototype' && this.#latest[depth - 1] === 'constructor';
  }
}

/** The name, or another string, that starts at this index of a JSON text. */
export function nameAt(bytes: Buffer, start: number): string {
  const written = bytes.toString('utf8', start, endOfString(bytes, start));
  return written.includes('\\') ? JSON.parse(written) : written.slice(1, -1);
}

/** Half a surrogate pair has no UTF-8; no other name begins with a backslash here. */
const inLatin1 = (name: string) =>
  name.isWellFormed() ? Buffer.from(name).toString('latin1') : `\\${name}`;
