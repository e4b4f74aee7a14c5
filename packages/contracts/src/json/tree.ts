import { JsonScanner } from './scanner.ts';
import { JsonToken, OPEN_BRACKET, stringAt } from './tokens.ts';

/** Numbers per value: offsets of its name, its start and its end, and the next value. */
const FIELDS = 4;
/** Smallest size of a value with the comma or the bracket that follows it. */
const MIN_BYTES = 2;
const NO_NAME = -1;

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
  readonly #positions: Int32Array;
  #count = 0;
  /** Arrays and objects that have not ended. */
  readonly #open: number[] = [];
  #nameStart = NO_NAME;
  /** Depth of the items that are skipped now. */
  #skippedDepth = Number.POSITIVE_INFINITY;
  readonly #skipped = new Map<number, number>();

  /** Reads nothing yet. */
  constructor(bytes: Buffer, { maxDepth, maxArrayBytes = Number.POSITIVE_INFINITY }: Bounds = {}) {
    this.bytes = bytes;
    // Growing an array would keep the old one in memory. Unused room takes no memory. Only a text
    // that is not JSON, such as `[[[`, has more values; writing their positions has no effect.
    this.#positions = new Int32Array(FIELDS * Math.ceil((bytes.length + 1) / MIN_BYTES));
    this.#scanner = new JsonScanner(bytes, maxDepth);
    this.#maxArrayBytes = maxArrayBytes;
  }

  /**
   * Reads up to `tokens` more tokens. Returns true at the end. The positions are complete then.
   * @throws {JsonFault} if the text is not JSON or is nested too deeply
   */
  read(tokens = Number.POSITIVE_INFINITY): boolean {
    for (let count = 0; count < tokens; count++) {
      const token = this.#scanner.next();
      if (token === JsonToken.End) return true;

      this.#add(token);
    }
    return false;
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

  #add(token: JsonToken): void {
    const { start, depth } = this.#scanner;
    if (depth >= this.#skippedDepth) {
      // The end of an item has the depth of the item, like an item that is a scalar.
      if (depth === this.#skippedDepth) this.#skip();
    } else if (token === JsonToken.Key) this.#nameStart = start;
    else if (token === JsonToken.BeginObject || token === JsonToken.BeginArray)
      this.#open.push(this.#begin(start));
    else if (token === JsonToken.EndObject || token === JsonToken.EndArray)
      this.#end(this.#open.pop() as number);
    else this.#end(this.#begin(start));
  }

  #begin(start: number): number {
    const value = this.#count++;
    const at = FIELDS * value;
    this.#positions[at] = this.#nameStart === NO_NAME ? start : this.#nameStart;
    this.#positions[at + 1] = start;
    this.#nameStart = NO_NAME;
    return value;
  }

  #end(value: number): void {
    const { end, depth } = this.#scanner;
    this.#positions[FIELDS * value + 2] = end;
    this.#positions[FIELDS * value + 3] = this.#count;
    const parent = this.#open.at(-1);
    this.#skippedDepth = Number.POSITIVE_INFINITY;
    if (parent === undefined || this.bytes[this.start(parent)] !== OPEN_BRACKET) return;

    const first = parent + 1;
    if (end > this.start(first) + this.#maxArrayBytes) this.#skippedDepth = depth;
  }

  /** Counts an item that is skipped. */
  #skip(): void {
    const array = this.#open.at(-1) as number;
    this.#skipped.set(array, this.skipped(array) + 1);
  }
}
