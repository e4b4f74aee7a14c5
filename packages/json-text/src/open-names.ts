import { BACKSLASH, byteAt, endOfString } from './tokens.ts';
import { unescaped } from './unescaped.ts';

/** A name with its quotes, in an object of this depth. */
export interface WrittenName {
  readonly depth: number;
  readonly start: number;
  readonly end: number;
}

interface Names {
  count: number;
  /** Of each name; of many, only the latest counts. */
  readonly starts: number[];
  readonly sums: number[];
  /** All names once they are many, as UTF-8 in latin1, which is read fastest. */
  many: Set<string> | undefined;
}

/** Up to so many names are compared by sums, without strings (docs/decisions/0003). */
const FEW = 32;

/** The names in the objects around a position, compared without escapes. */
export class OpenNames {
  readonly #bytes: Buffer;
  /** By depth. */
  readonly #objects: Names[] = [];
  #nextEscape = -1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  open(depth: number): void {
    const names = this.#objects[depth];
    if (names === undefined) {
      this.#objects[depth] = { count: 0, starts: [], sums: [], many: undefined };
    } else {
      names.count = 0;
      names.many = undefined;
    }
  }

  /** Adds a name to the object of its depth; false: it is there already. */
  add({ depth, start, end }: WrittenName): boolean {
    const names = this.#objects[depth] as Names;
    const content = this.#isEscaped(start, end)
      ? unescaped(this.#bytes, start + 1, end - 1)
      : undefined;
    const sum =
      content === undefined
        ? sumOf(this.#bytes, start + 1, end - 1)
        : sumOf(content, 0, content.length);
    const isNew =
      names.many === undefined
        ? !this.#isAmong(names, start, sum)
        : addTo(
            names.many,
            content?.toString('latin1') ?? this.#bytes.toString('latin1', start + 1, end - 1),
          );
    if (names.count < FEW) names.count += 1;
    else names.many ??= this.#all(names, start);
    names.starts[names.count - 1] = start;
    names.sums[names.count - 1] = sum;
    return isNew;
  }

  /** Whether the latest name is `__proto__`, or the `prototype` of a `constructor`. */
  reachesPrototype({ depth }: WrittenName): boolean {
    if (this.#isLatest(depth, '__proto__', PROTO)) return true;
    if (!this.#isLatest(depth, 'prototype', PROTOTYPE)) return false;
    return this.#isLatest(depth - 1, 'constructor', CONSTRUCTOR);
  }

  #isLatest(depth: number, name: string, sum: number): boolean {
    const names = this.#objects[depth];
    if (names === undefined || names.sums[names.count - 1] !== sum) return false;
    return nameAt(this.#bytes, names.starts[names.count - 1] ?? 0) === name;
  }

  #isAmong({ count, starts, sums }: Names, start: number, sum: number): boolean {
    for (let at = 0; at < count; at++) {
      if (sums[at] === sum && this.#contentAt(starts[at] ?? 0).equals(this.#contentAt(start)))
        return true;
    }
    return false;
  }

  #all({ starts }: Names, latest: number): Set<string> {
    return new Set([...starts, latest].map((start) => this.#contentAt(start).toString('latin1')));
  }

  #contentAt(start: number): Buffer {
    return unescaped(this.#bytes, start + 1, endOfString(this.#bytes, start) - 1);
  }

  #isEscaped(start: number, end: number): boolean {
    if (this.#nextEscape < start) this.#nextEscape = positionOf(BACKSLASH, this.#bytes, start);
    return this.#nextEscape < end;
  }
}

/** The name, or another string, that starts at this index of a JSON text. */
export function nameAt(bytes: Buffer, start: number): string {
  const written = bytes.toString('utf8', start, endOfString(bytes, start));
  return written.includes('\\') ? JSON.parse(written) : written.slice(1, -1);
}

function positionOf(byte: number, bytes: Buffer, from: number): number {
  const position = bytes.indexOf(byte, from);
  return position === -1 ? Number.POSITIVE_INFINITY : position;
}

function addTo(names: Set<string>, name: string): boolean {
  const before = names.size;
  return names.add(name).size > before;
}

/** Random, so that nobody can provoke equal sums; odd, so that every character counts. */
const [RANDOM = 1] = crypto.getRandomValues(new Uint32Array(1));
const FACTOR = RANDOM | 1;

function sumOf(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum = (Math.imul(sum, FACTOR) + byteAt(bytes, at)) | 0;
  return sum;
}

const sumOfName = (name: string) => sumOf(Buffer.from(name), 0, name.length);
const PROTO = sumOfName('__proto__');
const PROTOTYPE = sumOfName('prototype');
const CONSTRUCTOR = sumOfName('constructor');
