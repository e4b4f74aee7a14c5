import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** What `accept-encoding` offers. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

/** A body that was not read to its end. */
export type BodyFault = 'too_large' | 'undecodable' | 'unknown_coding';

/** What was read: all of it, or the part before the fault. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly fault?: BodyFault;
}

const NOTHING = Buffer.alloc(0);

/**
 * Puts a body together from its parts, undoing at most one content coding. Bytes are
 * counted after decompression, and reading stops at the limit; `done` is called once,
 * with what was read until the end or the first fault.
 */
export class BodyReader {
  readonly #coding: string;
  readonly #maxBytes: number;
  readonly #done: (body: ReadBody) => void;
  /** Filled up to `#size`; a lone part is kept as it came. */
  #bytes: Buffer = NOTHING;
  #size = 0;
  #owned = false;
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

  /**
   * Takes a part of the body as it was sent; false when the decoder asks to wait until
   * `resume` is called.
   */
  take(bytes: Buffer, resume: () => void): boolean {
    if (this.#over || bytes.length === 0) return true;
    // Only now, since an empty body is empty in any coding, and `deflate` is known by its
    // first byte alone.
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

  /** Lets go of the decoder; nothing is called any more. */
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

  /**
   * Copies into one block that doubles: a list of parts could take a hundred times the
   * memory of its bytes.
   */
  #append(part: Buffer): void {
    const size = this.#size + part.length;
    if (this.#size === 0) this.#bytes = part;
    else {
      if (size > this.#bytes.length || !this.#owned) {
        const block = Buffer.allocUnsafe(2 * size);
        this.#bytes.copy(block, 0, 0, this.#size);
        this.#bytes = block;
        this.#owned = true;
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
      // Meant is the zlib format, but some servers send raw deflate; zlib's first byte
      // has 8 in its low half.
      return ((head[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    default:
      return 'unknown';
  }
}
