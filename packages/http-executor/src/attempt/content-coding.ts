import type { Transform } from 'node:stream';
import zlib from 'node:zlib';

/** Windows up to 8 MiB, which every recipient has to support (RFC 9659, section 3). */
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

/** Registered codings without a decoder here. Other words, such as `utf-8`, are ignored. */
const UNDECODED = new Set('compress x-compress aes128gcm exi pack200-gzip dcb dcz'.split(' '));

/** Parses a `content-encoding` (RFC 9110, section 8.4); `unknown` if it lists several. */
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

function isCoding(word: string): word is Coding {
  return Object.hasOwn(DECODERS, word);
}

export function openDecoder(coding: Coding, head: Buffer): Transform {
  return DECODERS[coding](head);
}
