import type { Transform } from 'node:stream';
import zlib from 'node:zlib';

/** Real servers do two; each holds a window of up to 16 MiB. */
const MAX_CODINGS = 3;

/** RFC 9659, section 3: what zstd asks of a recipient's memory, 8 MiB. */
const ZSTD_WINDOW_LOG = 23;

const DECODERS = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  br: () => zlib.createBrotliDecompress(),
  // Some servers send raw deflate; the first byte of zlib has 8 in its low half.
  deflate: (head: Buffer) =>
    ((head[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw(),
  zstd: () =>
    zlib.createZstdDecompress({
      params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
    }),
} satisfies Record<string, (head: Buffer) => Transform>;

export type Coding = keyof typeof DECODERS;

/** Registered codings that are not undone here; other words, as `utf-8`, mean none. */
const UNDECODED = new Set([
  'compress',
  'x-compress',
  'aes128gcm',
  'exi',
  'pack200-gzip',
  'dcb',
  'dcz',
]);

/** The codings to undo, the last applied one first (RFC 9110, section 8.4). */
export function codingsOf(header: string | string[] | undefined): readonly Coding[] | 'unknown' {
  if (header === undefined) return [];
  const words = [header].flat().join(',').toLowerCase().split(',');
  const codings: Coding[] = [];
  for (const word of words.map((each) => each.trim())) {
    if (UNDECODED.has(word)) return 'unknown';
    if (isCoding(word)) codings.unshift(word);
  }
  return codings.length > MAX_CODINGS ? 'unknown' : codings;
}

function isCoding(word: string): word is Coding {
  return Object.hasOwn(DECODERS, word);
}

/** Takes bytes until their end; false is backpressure until `resume` is called. */
export interface Sink {
  take(bytes: Buffer, resume: () => void): boolean;
  end(): void;
}

/** Undoes one coding. What comes out is counted, since a next coding may hide how much it is. */
export class Decoder implements Sink {
  readonly #coding: Coding;
  readonly #maxBytes: number;
  readonly #next: Sink;
  readonly #fail: (fault: 'too_large' | 'undecodable') => void;
  /** An empty body is empty in any coding, and `deflate` is told by its first byte. */
  #transform: Transform | undefined;
  #size = 0;

  constructor(
    coding: Coding,
    maxBytes: number,
    next: Sink,
    fail: (fault: 'too_large' | 'undecodable') => void,
  ) {
    this.#coding = coding;
    this.#maxBytes = maxBytes;
    this.#next = next;
    this.#fail = fail;
  }

  take(bytes: Buffer, resume: () => void): boolean {
    this.#transform ??= this.#open(bytes);
    if (this.#transform.write(bytes)) return true;
    this.#transform.once('drain', resume);
    return false;
  }

  end(): void {
    if (this.#transform === undefined) this.#next.end();
    else this.#transform.end();
  }

  /** Nothing comes out any more. */
  destroy(): void {
    this.#transform?.destroy();
  }

  #open(head: Buffer): Transform {
    const transform = DECODERS[this.#coding](head);
    const resume = () => void transform.resume();
    return transform
      .on('data', (decoded: Buffer) => {
        this.#size += decoded.length;
        if (this.#size > this.#maxBytes) this.#fail('too_large');
        else if (!this.#next.take(decoded, resume)) transform.pause();
      })
      .on('error', () => this.#fail('undecodable'))
      .on('end', () => this.#next.end());
  }
}
