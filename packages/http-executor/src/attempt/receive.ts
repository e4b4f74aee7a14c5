import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { ResponseHead, Stage, Transport, WireRequest } from '../transport.ts';
import { type BodyFault, isSuccess, type ReadBody } from './result.ts';

interface ReceiveOptions {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  readonly onStage?: (stage: Stage) => void;
  /** Returns a fault if the body must be skipped, for example if it is an event stream. */
  readonly refuseBody?: (head: ResponseHead) => BodyFault | undefined;
}

/** Sends a request and reads the response up to the size limit. @throws {TransportError} */
export function receive(
  request: WireRequest,
  { transport, signal, maxBytes, onStage = () => {}, refuseBody }: ReceiveOptions,
): Promise<ResponseHead & { readonly body: ReadBody }> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const received = new Block();
    let head: ResponseHead = { status: 0, headers: {} };
    let coding: ReturnType<typeof codingOf> = 'none';
    const done = (body: ReadBody) => {
      abort();
      resolve({ ...head, body });
    };
    const abort = transport(request, {
      onStage,
      onHeaders: (final) => {
        head = final;
        coding = codingOf(head.headers['content-encoding']);
        const fault = refuseBody?.(final);
        if (fault !== undefined) done({ bytes: NOTHING, fault });
      },
      onData: (bytes) => {
        received.append(bytes);
        const isPlain = coding === 'none';
        if (received.size <= (isPlain ? maxBytes : maxCodedBytes(maxBytes))) return;
        const start = isPlain ? received.bytes.subarray(0, maxBytes) : NOTHING;
        done({ bytes: start, fault: 'too_large' });
      },
      onEnd: () => {
        const { bytes } = received;
        if (coding === 'none') done({ bytes });
        else void decompress(bytes, coding, maxBytes).then(done);
      },
      onError: reject,
    });
    signal.addEventListener('abort', abort);
  });
}

/** Size limit for a body before decompression. Compression can slightly enlarge data. */
const maxCodedBytes = (maxBytes: number) => 1.1 * maxBytes + 1_024;

const NOTHING = Buffer.alloc(0);

/** Collects chunks in one buffer, because a list of tiny chunks can use 100 times the memory. */
class Block {
  #buffer: Buffer = NOTHING;
  size = 0;

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.size);
  }

  append(part: Buffer): void {
    const size = this.size + part.length;
    if (size > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(2 * size);
      this.#buffer.copy(larger, 0, 0, this.size);
      this.#buffer = larger;
    }
    part.copy(this.#buffer, this.size);
    this.size = size;
  }
}

export function isEventStream({ status, headers }: ResponseHead): boolean {
  const [type = ''] = [headers['content-type'] ?? ''].flat();
  return isSuccess(status) && /^\s*text\/event-stream\s*(?:;|$)/i.test(type);
}

async function decompress(
  bytes: Buffer,
  coding: Coding | 'unknown',
  maxOutputLength: number,
): Promise<ReadBody> {
  // Accept an empty body even with `content-encoding: gzip`, although empty data is invalid gzip.
  if (bytes.length === 0) return { bytes };
  if (coding === 'unknown') return { bytes: NOTHING, fault: 'unknown_coding' };
  try {
    return { bytes: await DECODERS[coding](bytes, { maxOutputLength }) };
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return { bytes: NOTHING, fault: isTooLarge ? 'too_large' : 'undecodable' };
  }
}

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const zstdDecompress = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

/** Allows zstd windows up to 8 MiB, which every recipient must support (RFC 9659, section 3). */
const ZSTD_WINDOW_LOG = 23;

const DECODERS = {
  gzip: gunzip,
  'x-gzip': gunzip,
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  // Some servers omit the zlib header, whose first byte has the value 8 in its low four bits.
  deflate: (bytes, options) =>
    ((bytes[0] ?? 0) & 0x0f) === 8 ? inflate(bytes, options) : inflateRaw(bytes, options),
  zstd: (bytes, options) => {
    const params = { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG };
    return zstdDecompress(bytes, { ...options, params });
  },
} satisfies Record<string, Decoder>;

type Coding = keyof typeof DECODERS;

/** Registered codings that we cannot decode. Unregistered codings, such as `utf-8`, are ignored. */
const UNDECODED = new Set('compress x-compress aes128gcm exi pack200-gzip dcb dcz'.split(' '));

/** Parses `content-encoding` (RFC 9110, section 8.4). Two or more codings count as `unknown`. */
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

const isCoding = (word: string): word is Coding => Object.hasOwn(DECODERS, word);
