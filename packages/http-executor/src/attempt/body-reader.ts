import type { Transform } from 'node:stream';
import { codingOf, openDecoder } from './content-coding.ts';

export type BodyFault = 'too_large' | 'undecodable' | 'unknown_coding' | 'event_stream';

/** A whole body, or the part before the fault. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly fault?: BodyFault | undefined;
}

const NOTHING = Buffer.alloc(0);

/**
 * Collects a body and decompresses it. `done` is called once: at the end, at the limit, which
 * counts decompressed bytes, or at the first fault.
 */
export class BodyReader {
  readonly #coding: ReturnType<typeof codingOf>;
  readonly #maxBytes: number;
  readonly #done: (body: ReadBody) => void;
  /** Opened by the first bytes, because an empty body is not valid gzip. */
  #decoder: Transform | undefined;
  /** The body is the first `#size` bytes. The first part is not copied and must not be changed. */
  #bytes: Buffer = NOTHING;
  #size = 0;
  #over = false;

  constructor(
    coding: string | string[] | undefined,
    maxBytes: number,
    done: (body: ReadBody) => void,
  ) {
    this.#coding = codingOf(coding);
    this.#maxBytes = maxBytes;
    this.#done = done;
  }

  /** Returns false for backpressure; then `resume` is called when more data may be written. */
  write(bytes: Buffer, resume: () => void): boolean {
    if (this.#over || bytes.length === 0) return true;
    if (this.#coding === 'unknown') this.#finish('unknown_coding');
    else if (this.#coding === 'none') this.#keep(bytes);
    else {
      this.#decoder ??= this.#listenTo(openDecoder(this.#coding, bytes));
      if (this.#decoder.write(bytes)) return true;
      this.#decoder.once('drain', resume);
      return false;
    }
    return true;
  }

  end(): void {
    if (this.#decoder === undefined) this.#finish();
    else this.#decoder.end();
  }

  destroy(): void {
    this.#over = true;
    this.#decoder?.destroy();
  }

  #listenTo(decoder: Transform): Transform {
    return decoder
      .on('data', (decoded: Buffer) => this.#keep(decoded))
      .on('error', () => this.#finish('undecodable'))
      .on('end', () => this.#finish());
  }

  /** Appends to one growing block, because a list of tiny parts takes a hundred times as much. */
  #keep(part: Buffer): void {
    const before = this.#size;
    const size = before + part.length;
    if (size > this.#maxBytes) {
      this.#finish('too_large');
      return;
    }
    if (before === 0) this.#bytes = part;
    else {
      if (size > this.#bytes.length) {
        const block = Buffer.allocUnsafe(2 * size);
        this.#bytes.copy(block, 0, 0, before);
        this.#bytes = block;
      }
      part.copy(this.#bytes, before);
    }
    this.#size = size;
  }

  #finish(fault?: BodyFault): void {
    if (this.#over) return;
    this.destroy();
    this.#done({ bytes: this.#bytes.subarray(0, this.#size), fault });
  }
}
