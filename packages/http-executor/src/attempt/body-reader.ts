import { type Coding, codingsOf, Decoder, type Sink } from './decoders.ts';

/** Why a body was not read to its end. */
export type BodyFault = 'too_large' | 'undecodable' | 'unknown_coding';

/** All of a body, or the part before the fault. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly fault?: BodyFault | undefined;
}

const NOTHING = Buffer.alloc(0);

/**
 * Collects a body and undoes its content codings. Bytes are counted after decompression;
 * `done` is called once, at the end, the limit or the first fault.
 */
export class BodyReader {
  readonly #maxBytes: number;
  readonly #done: (body: ReadBody) => void;
  readonly #decoders: Decoder[] = [];
  /** What takes the body as it was sent; undefined: it cannot be decoded. */
  readonly #first: Sink | undefined;
  /** Filled up to `#size`; the first part is kept as it came, and never written to. */
  #bytes: Buffer = NOTHING;
  #size = 0;
  #over = false;

  constructor(
    coding: string | string[] | undefined,
    maxBytes: number,
    done: (body: ReadBody) => void,
  ) {
    this.#maxBytes = maxBytes;
    this.#done = done;
    const codings = codingsOf(coding);
    this.#first = codings === 'unknown' ? undefined : this.#chain(codings);
  }

  /** Takes data as it was sent; false is backpressure until `resume` is called. */
  take(bytes: Buffer, resume: () => void): boolean {
    if (this.#over || bytes.length === 0) return true;
    if (this.#first !== undefined) return this.#first.take(bytes, resume);
    this.#finish('unknown_coding');
    return true;
  }

  end(): void {
    if (this.#first === undefined) this.#finish();
    else this.#first.end();
  }

  /** Closes the decoders; nothing is called any more. */
  destroy(): void {
    this.#over = true;
    for (const decoder of this.#decoders) decoder.destroy();
  }

  #chain(codings: readonly Coding[]): Sink {
    let next: Sink = { take: (bytes) => this.#keep(bytes), end: () => this.#finish() };
    for (const coding of codings.toReversed()) {
      const decoder = new Decoder(coding, this.#maxBytes, next, (fault) => this.#finish(fault));
      this.#decoders.push(decoder);
      next = decoder;
    }
    return next;
  }

  #keep(decoded: Buffer): boolean {
    if (this.#size + decoded.length > this.#maxBytes) this.#finish('too_large');
    else this.#append(decoded);
    return true;
  }

  /** Into one block that doubles: a list of tiny parts takes a hundred times the memory. */
  #append(part: Buffer): void {
    const size = this.#size + part.length;
    if (this.#size === 0) this.#bytes = part;
    else {
      if (size > this.#bytes.length) {
        const block = Buffer.allocUnsafe(2 * size);
        this.#bytes.copy(block, 0, 0, this.#size);
        this.#bytes = block;
      }
      part.copy(this.#bytes, this.#size);
    }
    this.#size = size;
  }

  #finish(fault?: BodyFault): void {
    if (this.#over) return;
    this.destroy();
    this.#done({ bytes: this.#bytes.subarray(0, this.#size), fault });
  }
}
