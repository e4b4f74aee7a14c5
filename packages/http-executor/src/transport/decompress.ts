import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { ReadBody } from '../transport.ts';

export async function decompress(
  bytes: Buffer,
  coding: Coding | 'unknown',
  maxOutputLength: number,
): Promise<ReadBody> {
  // Accept an empty body even with `content-encoding: gzip`, although empty data is invalid gzip.
  if (bytes.length === 0) return { bytes };
  if (coding === 'unknown') return { bytes: Buffer.alloc(0), fault: 'unknown_coding' };
  try {
    return { bytes: await DECODERS[coding](bytes, { maxOutputLength }) };
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return { bytes: Buffer.alloc(0), fault: isTooLarge ? 'too_large' : 'undecodable' };
  }
}

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);

const DECODERS = {
  gzip: gunzip,
  'x-gzip': gunzip,
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  // Some servers omit the zlib header, whose first byte has the value 8 in its low four bits.
  deflate: (bytes, options) =>
    ((bytes[0] ?? 0) & 0x0f) === 8 ? inflate(bytes, options) : inflateRaw(bytes, options),
} satisfies Record<string, Decoder>;

type Coding = keyof typeof DECODERS;

/** Content codings that we cannot decode. An unregistered name, such as `utf-8`, is ignored. */
const UNDECODED = new Set('compress x-compress zstd aes128gcm exi pack200-gzip dcb dcz'.split(' '));

/** Parses `content-encoding` (RFC 9110, section 8.4). Two or more codings count as `unknown`. */
export function codingOf(header: string | string[]): Coding | 'none' | 'unknown' {
  const words = [header].flat().join(',').toLowerCase().split(',');
  const codings = words
    .map((word) => word.trim())
    .filter((word) => isCoding(word) || UNDECODED.has(word));
  const [coding] = codings;
  if (coding === undefined) return 'none';
  return codings.length === 1 && isCoding(coding) ? coding : 'unknown';
}

const isCoding = (word: string): word is Coding => Object.hasOwn(DECODERS, word);
