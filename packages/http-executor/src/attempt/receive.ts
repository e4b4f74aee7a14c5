import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import type { ResponseHead, Stage, Transport, WireRequest } from '../transport.ts';

export type BodyFault = 'too_large' | 'undecodable' | 'unknown_coding' | 'event_stream';

/** A whole body, or the part before the fault. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly fault?: BodyFault | undefined;
}

interface ReceiveOptions {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  /** Size limit of the body after decompression. */
  readonly maxBytes: number;
  readonly onStage?: (stage: Stage) => void;
  /** Returns a fault if the body must not be read. */
  readonly refuseBody?: (head: ResponseHead) => BodyFault | undefined;
}

/**
 * Sends one request and reads the response, including its body up to the limit.
 * @throws {TransportError}
 */
export function receive(
  request: WireRequest,
  { transport, signal, maxBytes, onStage = () => {}, refuseBody }: ReceiveOptions,
): Promise<ResponseHead & { readonly body: ReadBody }> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    let reader: BodyReader | undefined;
    const abort = transport(request, {
      onStage,
      onHeaders: (head) => {
        const done = (body: ReadBody) => {
          abort();
          resolve({ ...head, body });
        };
        const fault = refuseBody?.(head);
        if (fault !== undefined) done({ bytes: NOTHING, fault });
        else reader = new BodyReader(head.headers['content-encoding'], maxBytes, done);
      },
      onData: (bytes, resume) => reader?.write(bytes, resume) ?? true,
      onEnd: () => reader?.end(),
      onError: (error) => {
        reader?.destroy();
        reject(error);
      },
    });
    signal.addEventListener('abort', () => {
      abort();
      reader?.destroy();
    });
  });
}

const NOTHING = Buffer.alloc(0);

/**
 * Collects a body and decompresses it. `done` is called once: at the end of the body, at the limit
 * for decompressed bytes, or at the first fault.
 */
class BodyReader {
  readonly #coding: ReturnType<typeof codingOf>;
  readonly #maxBytes: number;
  readonly #done: (body: ReadBody) => void;
  /** Opened when the first bytes arrive, because an empty body is not valid gzip. */
  #decoder: Transform | undefined;
  /** Buffer whose first `#size` bytes are the body. */
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

  /** Returns false for backpressure, and calls `resume` when more data may be written. */
  write(bytes: Buffer, resume: () => void): boolean {
    if (this.#over || bytes.length === 0) return true;
    if (this.#coding === 'unknown') this.#finish('unknown_coding');
    else if (this.#coding === 'none') this.#keep(bytes);
    else {
      this.#decoder ??= this.#listenTo(DECODERS[this.#coding](bytes));
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

  /** Appends to one growing block. A list of tiny parts would take a hundred times the memory. */
  #keep(part: Buffer): void {
    const size = this.#size + part.length;
    if (size > this.#maxBytes) {
      this.#finish('too_large');
      return;
    }
    if (size > this.#bytes.length) {
      const block = Buffer.allocUnsafe(2 * size);
      this.#bytes.copy(block, 0, 0, this.#size);
      this.#bytes = block;
    }
    part.copy(this.#bytes, this.#size);
    this.#size = size;
  }

  #finish(fault?: BodyFault): void {
    if (this.#over) return;
    this.destroy();
    this.#done({ bytes: this.#bytes.subarray(0, this.#size), fault });
  }
}

/** Allows windows of up to 8 MiB, which every recipient must support (RFC 9659, section 3). */
const ZSTD_WINDOW_LOG = 23;

const DECODERS = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  br: () => zlib.createBrotliDecompress(),
  // Some servers send raw deflate. A zlib header has 8 in the low half of its first byte.
  deflate: (head: Buffer) =>
    ((head[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw(),
  zstd: () =>
    zlib.createZstdDecompress({
      params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
    }),
} satisfies Record<string, (head: Buffer) => Transform>;

type Coding = keyof typeof DECODERS;

/** Registered codings that we cannot decode. Other words, such as `utf-8`, are ignored. */
const UNDECODED = new Set('compress x-compress aes128gcm exi pack200-gzip dcb dcz'.split(' '));

/** Parses a `content-encoding` (RFC 9110, section 8.4). Several codings count as `unknown`. */
function codingOf(header: string | string[] | undefined): Coding | 'none' | 'unknown' {
  if (header === undefined) return 'none';
  const words = [header].flat().join(',').toLowerCase().split(',');
  const codings = words
    .map((word) => word.trim())
    .filter((word) => isCoding(word) || UNDECODED.has(word));
  const [coding] = codings;
  if (coding === undefined) return 'none';
  return codings.length === 1 && isCoding(coding) ? coding : 'unknown';
}

function isCoding(word: string): word is Coding {
  return Object.hasOwn(DECODERS, word);
}
