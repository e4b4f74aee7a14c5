const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d];
const [OPEN_BRACKET, CLOSE_BRACKET, COMMA] = [0x5b, 0x5d, 0x2c];

/** Copying a text of this size byte by byte is faster than calling `Buffer.copy`. */
const SHORT_BYTES = 64;

/** Writes a JSON document of parts that are copied from another one. */
export class JsonWriter {
  readonly #source: Buffer;
  readonly #target: Buffer;
  #size = 0;

  constructor(source: Buffer, maxBytes: number) {
    this.#source = source;
    this.#target = Buffer.allocUnsafe(maxBytes);
  }

  get bytes(): Buffer {
    return this.#target.subarray(0, this.#size);
  }

  write(text: string): void {
    this.#size += this.#target.write(text, this.#size);
  }

  copy(start: number, end: number): void {
    if (end - start > SHORT_BYTES) {
      this.#size += this.#source.copy(this.#target, this.#size, start, end);
      return;
    }
    for (let at = start; at < end; at++) this.#put(this.#source[at] as number);
  }

  open(isArray: boolean): void {
    this.#put(isArray ? OPEN_BRACKET : OPEN_BRACE);
  }

  close(isArray: boolean): void {
    this.#put(isArray ? CLOSE_BRACKET : CLOSE_BRACE);
  }

  /** Writes a comma before a member or an item, unless it is the first one. */
  separate(): void {
    const before = this.#target[this.#size - 1];
    if (before !== OPEN_BRACE && before !== OPEN_BRACKET) this.#put(COMMA);
  }

  #put(code: number): void {
    this.#target[this.#size] = code;
    this.#size += 1;
  }
}
