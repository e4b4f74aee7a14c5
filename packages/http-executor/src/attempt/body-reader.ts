import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** What `accept-encoding` offers. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

/** Why a body was not read to its end. */
export type BodyFault = 'too_large' | 'undecodable' | 'unknown_coding';

/** All of a body, or the part before the fault. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly fault?: BodyFault;
}

const NOTHING = Buffer.alloc(0);

/**
 * Collects a body and undoes at most one content coding. Bytes are counted after
 * decompression; `done` is called once, at the end, the limit or the first fault.
 */
export class BodyReader {
  readonly #coding: string;
  readonly #maxBytes: number;
  readonly #done: (body: ReadBody) => void;
  /** Filled up to `#size`; the first part is kept as it came, and never written to. */
  #bytes: Buffer = NOTHING;
  #size = 0;
  #decoder: Transform | undefined;
  #started = false;
  #over = false;

  constructor(
    coding: string | string[] | undefined,
    maxBytes: number,
    done: (body: ReadBody) => void,
  ) {
    this.#coding = [coding ?? []].flat().join(', ').trim().toLowerCase();
    this.#maxBytes = maxBytes;
    this.#done = done;
  }

  /** Takes data as it was sent; false is backpressure until `resume` is called. */
  take(bytes: Buffer, resume: () => void): boolean {
    if (this.#over || bytes.length === 0) return true;
    // An empty body is empty in any coding, and `deflate` is told by its first byte.
    if (!this.#started) this.#start(bytes);
    if (this.#decoder === undefined) this.#keep(bytes);
    else if (!this.#decoder.write(bytes)) {
      this.#decoder.once('drain', resume);
      return false;
    }
    return true;
  }

  end(): void {
    if (this.#decoder === undefined) this.#finish();
    else this.#decoder.end();
  }

  /** Closes the decoder; nothing is called any more. */
  destroy(): void {
    this.#over = true;
    this.#decoder?.destroy();
  }

  #start(head: Buffer): void {
    this.#started = true;
    const decoder = decoderFor(this.#coding, head);
    if (decoder === 'unknown') {
      this.#finish('unknown_coding');
      return;
    }
    this.#decoder = decoder
      ?.on('data', (decoded: Buffer) => this.#keep(decoded))
      .on('error', () => this.#finish('undecodable'))
      .on('end', () => this.#finish());
  }

  #keep(decoded: Buffer): void {
    if (this.#over) return;
    if (this.#size + decoded.length > this.#maxBytes) this.#finish('too_large');
    else this.#append(decoded);
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
    const bytes = this.#bytes.subarray(0, this.#size);
    this.#done(fault === undefined ? { bytes } : { bytes, fault });
  }
}

function decoderFor(coding: string, head: Buffer): Transform | undefined | 'unknown' {
  switch (coding) {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      // Some servers send raw deflate; the first byte of zlib has 8 in its low half.
      return ((head[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    default:
      return 'unknown';
  }
}
