import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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

/** Thrown inside the pipeline only, to stop it at the limit. */
class LimitReached extends Error {}

/**
 * Reads a body to its end, undoing at most one content coding; bytes are counted after decompression, and reading
 * stops at the limit. Rejects only with what the source itself throws.
 */
export async function readBody(
  source: AsyncIterable<Uint8Array>,
  coding: string | undefined,
  maxBytes: number,
): Promise<ReadBody> {
  const { head, all } = await peek(source);
  if (head.length === 0) return { bytes: Buffer.alloc(0) };
  const decoder = decoderFor(coding, head);
  if (decoder === 'unknown') {
    await all.return?.(undefined);
    return { bytes: Buffer.alloc(0), fault: 'unknown_coding' };
  }
  const chunks: Uint8Array[] = [];
  let total = 0;
  const collect = async (decoded: AsyncIterable<Uint8Array>) => {
    for await (const chunk of decoded) {
      total += chunk.length;
      if (total > maxBytes) throw new LimitReached();
      chunks.push(chunk);
    }
  };
  try {
    if (decoder === undefined) await collect(all);
    else await pipeline(all, decoder, collect);
    return { bytes: Buffer.concat(chunks) };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    return { bytes: Buffer.concat(chunks), fault };
  }
}

function faultOf(error: unknown): BodyFault | undefined {
  if (error instanceof LimitReached) return 'too_large';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING|ERR_ZLIB)/.test(code) ? 'undecodable' : undefined;
}

/** Waits for the first bytes: an empty body is empty in any coding, and `deflate` is known by its first byte alone. */
async function peek(source: AsyncIterable<Uint8Array>) {
  const iterator = source[Symbol.asyncIterator]();
  let first = await iterator.next();
  while (!first.done && first.value.length === 0) first = await iterator.next();
  const head = first.done ? new Uint8Array() : first.value;
  async function* rest(): AsyncGenerator<Uint8Array> {
    try {
      if (!first.done) yield first.value;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { head, all: rest() };
}

function decoderFor(coding: string | undefined, head: Uint8Array): Transform | undefined | 'unknown' {
  switch (coding?.trim().toLowerCase() ?? 'identity') {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      // Meant is the zlib format, but some servers send raw deflate; zlib's first byte has 8 in its low half.
      return ((head[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    default:
      return 'unknown';
  }
}
