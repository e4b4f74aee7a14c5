import type { BodyTurns } from './body-turns.ts';
import { type Coding, codingsOf, Decoder, type Sink } from './decoders.ts';

/** Why the end of a `text/event-stream` did not arrive: the time limit, or a broken connection. */
export type StreamFault = 'stream_timeout' | 'stream_broken';

/** Why a body was not read to its end; that of an `event_stream` was not awaited. */
export type BodyFault =
  | 'too_large'
  | 'undecodable'
  | 'unknown_coding'
  | 'event_stream'
  | StreamFault;

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
  readonly #turns: BodyTurns;
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
    turns: BodyTurns,
    done: (body: ReadBody) => void,
  ) {
    this.#maxBytes = maxBytes;
    this.#turns = turns;
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

  /** The body so far, decoded. */
  get received(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Waits for no more data, if there is some. */
  stop(fault: BodyFault): void {
    if (this.#size > 0) this.#finish(fault);
  }

  /** Closes the decoders; nothing is called any more. */
  destroy(): void {
    this.#over = true;
    for (const decoder of this.#decoders) decoder.destroy();
  }

  #chain(codings: readonly Coding[]): Sink {
    let next: Sink = {
      take: (bytes, resume) => this.#keep(bytes, resume),
      end: () => this.#finish(),
    };
    for (const coding of codings.toReversed()) {
      const decoder = new Decoder(coding, this.#maxBytes, next, (fault) => this.#finish(fault));
      this.#decoders.push(decoder);
      next = decoder;
    }
    return next;
  }

  #keep(decoded: Buffer, resume: () => void): boolean {
    if (this.#size + decoded.length <= this.#maxBytes)
      return this.#turns.take(this.#append(decoded), resume);
    this.#finish('too_large');
    return true;
  }

  /**
   * Into one block that doubles: a list of tiny parts takes a hundred times the memory.
   * Returns how many bytes that moved.
   */
  #append(part: Buffer): number {
    const before = this.#size;
    this.#size += part.length;
    if (before === 0) {
      this.#bytes = part;
      return part.length;
    }
    const grows = this.#size > this.#bytes.length;
    if (grows) {
      const block = Buffer.allocUnsafe(2 * this.#size);
      this.#bytes.copy(block, 0, 0, before);
      this.#bytes = block;
    }
    part.copy(this.#bytes, before);
    return grows ? this.#size : part.length;
  }

  #finish(fault?: BodyFault): void {
    if (this.#over) return;
    this.destroy();
    this.#done({ bytes: this.received, fault });
  }
}
