import { finished, pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { ReadBody, SendOptions } from '../wire.ts';

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
} satisfies Record<string, () => NodeJS.ReadWriteStream>;

type Coding = keyof typeof DECODERS;

/** Content codings that we cannot decode. An unregistered name, such as `utf-8`, is ignored. */
const UNDECODED = new Set('compress x-compress zstd aes128gcm exi pack200-gzip dcb dcz'.split(' '));

/** Parses `content-encoding` (RFC 9110, section 8.4). Two or more codings count as `unknown`. */
export function codingOf(header: string | string[] | undefined): Coding | 'none' | 'unknown' {
  if (header === undefined) return 'none';
  const words = [header].flat().join(',').toLowerCase().split(',');
  const codings = words
    .map((word) => word.trim())
    .filter((word) => isCoding(word) || UNDECODED.has(word));
  const [coding] = codings;
  if (coding === undefined) return 'none';
  return codings.length === 1 && isCoding(coding) ? coding : 'unknown';
}

const isCoding = (word: string): word is Coding => Object.hasOwn(DECODERS, word);

/** Bodies up to this size need no reservation of memory. */
const FREE_BYTES = 64 * 1024;

const NOTHING = Buffer.alloc(0);

type Limits = Pick<SendOptions, 'maxBytes' | 'reserve'>;

/**
 * Reads and decompresses a body. Stops reading at `maxBytes`, and pauses while `reserve` waits.
 * Rejects with the stream's error if the connection breaks.
 */
export async function readBody(
  stream: Readable,
  coding: Coding | 'none' | 'unknown',
  limits: Limits,
): Promise<ReadBody> {
  if (coding === 'none') return collect(stream, limits);

  if (coding === 'unknown') {
    const { bytes } = await collect(stream, limits);
    return bytes.length === 0 ? { bytes } : { bytes: NOTHING, fault: 'unknown_coding' };
  }

  let coded = 0;
  stream.on('data', ({ length }) => (coded += length));
  try {
    return await collect(decompress(stream, coding), limits);
  } catch (error) {
    if (!isDecodingError(error)) throw error;

    // Accept an empty body even with `content-encoding: gzip`, although empty data is invalid gzip.
    return coded === 0 ? { bytes: NOTHING } : { bytes: NOTHING, fault: 'undecodable' };
  }
}

const BEGINNING_BYTES = 4 * 1024;
const BEGINNING_MS = 500;

/** Reads what arrives soon of a body that may never end. Then closes the stream. */
export async function readBeginning(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await new Promise<unknown>((enough) => {
    const timer = setTimeout(enough, BEGINNING_MS);
    finished(stream, enough);
    stream.on('close', () => clearTimeout(timer));
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= BEGINNING_BYTES) enough(undefined);
    });
  });
  stream.destroy();
  return Buffer.concat(chunks).subarray(0, BEGINNING_BYTES);
}

/**
 * Collects a stream's bytes, and reserves memory before it allocates any. Uses events, because
 * iterating over chunks takes twice as long. Pauses only to wait for memory, because undici parses
 * the tiny chunks after a pause one by one, and copies the rest each time.
 */
function collect(stream: Readable, { maxBytes, reserve }: Limits): Promise<ReadBody> {
  const block = new Block();
  let reserved = FREE_BYTES;
  let waiting: Promise<void> | undefined;
  return new Promise((resolve, reject) => {
    const append = (chunk: Buffer) => {
      const space = maxBytes - block.size;
      if (chunk.length <= space) return block.append(chunk, reserved);

      block.append(chunk.subarray(0, space), reserved);
      resolve({ bytes: block.bytes, fault: 'too_large' });
      stream.destroy();
    };
    stream.on('data', (chunk: Buffer) => {
      const size = Math.min(maxBytes, block.size + chunk.length);
      if (size <= reserved) return append(chunk);

      reserved = Math.min(maxBytes, 2 * size);
      const granted = reserve?.(reserved);
      if (granted === undefined) return append(chunk);

      stream.pause();
      waiting = granted.then(() => {
        append(chunk);
        stream.resume();
      });
    });
    // A stream that is paused at its last chunk still ends.
    stream.on('end', async () => {
      await waiting;
      resolve({ bytes: block.bytes });
    });
    stream.on('error', reject);
  });
}

/** If either stream fails or ends early, `pipeline` destroys the other one with the same error. */
function decompress(stream: Readable, coding: Coding): Readable {
  return pipeline(stream, DECODERS[coding](), () => {});
}

const isDecodingError = (error: unknown): boolean =>
  /^(?:Z_|ERR__ERROR_|ERR_BROTLI|ERR_PADDING)/.test(String((error as NodeJS.ErrnoException).code));

/** Collects chunks in one buffer, because a list of tiny chunks can use 100 times the memory. */
class Block {
  #buffer: Buffer = NOTHING;
  size = 0;

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.size);
  }

  /** Allocates at most `maxBytes`. */
  append(part: Buffer, maxBytes: number): void {
    const size = this.size + part.length;
    if (this.size === 0) this.#buffer = part;
    else if (size > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(maxBytes, 2 * size));
      this.#buffer.copy(larger, 0, 0, this.size);
      this.#buffer = larger;
    }
    if (this.size > 0) part.copy(this.#buffer, this.size);
    this.size = size;
  }
}
