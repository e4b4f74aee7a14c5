import { JsonScanner } from './scanner.ts';
import { JsonToken, stringAt } from './tokens.ts';

/** Numbers per value: offsets of its name, its start and its end, and the next value. */
const FIELDS = 4;
const MIN_VALUES = 256;

interface Bounds {
  readonly maxDepth?: number;
  /** Once the items of an array take more bytes than this, the items after them are skipped. */
  readonly maxArrayBytes?: number;
}

/**
 * Positions of the values in a JSON text, so that parts of it can be copied without parsing.
 * Values are numbered in document order. The whole document is number 0, and the children of value
 * `n` are `n + 1`, `next(n + 1)` and so on, up to `next(n)`.
 */
export class JsonTree {
  readonly bytes: Buffer;
  readonly #scanner: JsonScanner;
  readonly #maxArrayBytes: number;
  #positions = new Int32Array(FIELDS * MIN_VALUES);
  #count = 0;
  readonly #skipped = new Map<number, number>();

  /** Reads the whole text. @throws {JsonFault} if the text is not JSON or is nested too deeply */
  constructor(bytes: Buffer, { maxDepth, maxArrayBytes = Number.POSITIVE_INFINITY }: Bounds = {}) {
    this.bytes = bytes;
    this.#scanner = new JsonScanner(bytes, maxDepth);
    this.#maxArrayBytes = maxArrayBytes;
    this.#read(this.#scanner.next(), this.#scanner.start);
    this.#scanner.next();
  }

  /** Offset of the name of a member, or of the start of any other value. */
  begin(value: number): number {
    return this.#positions[FIELDS * value] as number;
  }

  start(value: number): number {
    return this.#positions[FIELDS * value + 1] as number;
  }

  /** Offset just past a value. */
  end(value: number): number {
    return this.#positions[FIELDS * value + 2] as number;
  }

  /** Number of the value after this one and everything in it. */
  next(value: number): number {
    return this.#positions[FIELDS * value + 3] as number;
  }

  /** Number of items at the end of an array that have no numbers, because they were skipped. */
  skipped(array: number): number {
    return this.#skipped.get(array) ?? 0;
  }

  nameOf(member: number): string {
    return stringAt(this.bytes, this.begin(member));
  }

  /** Reads the value that begins with a token, and everything in it. */
  #read(token: JsonToken, begin: number): void {
    const scanner = this.#scanner;
    const value = this.#count++;
    const at = FIELDS * value;
    if (at === this.#positions.length) this.#grow();
    this.#positions[at] = begin;
    this.#positions[at + 1] = scanner.start;
    if (token === JsonToken.BeginArray) this.#readItems(value);
    else if (token === JsonToken.BeginObject) this.#readMembers();
    this.#positions[at + 2] = scanner.end;
    this.#positions[at + 3] = this.#count;
  }

  #readMembers(): void {
    const scanner = this.#scanner;
    while (scanner.next() === JsonToken.Key) {
      const begin = scanner.start;
      this.#read(scanner.next(), begin);
    }
  }

  #readItems(array: number): void {
    const scanner = this.#scanner;
    let token = scanner.next();
    let end = scanner.start;
    const most = end + this.#maxArrayBytes;
    for (; token !== JsonToken.EndArray && end <= most; token = scanner.next()) {
      this.#read(token, scanner.start);
      end = scanner.end;
    }

    let skipped = 0;
    for (; token !== JsonToken.EndArray; token = scanner.next()) {
      scanner.skipValue(token);
      skipped += 1;
    }
    if (skipped > 0) this.#skipped.set(array, skipped);
  }

  #grow(): void {
    const grown = new Int32Array(2 * this.#positions.length);
    grown.set(this.#positions);
    this.#positions = grown;
  }
}
