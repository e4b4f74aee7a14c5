import type { ResponseHead, Stage, Transport, WireRequest } from '../transport.ts';
import { type BodyFault, codingOf, decompress, type ReadBody } from './decompress.ts';

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
        const { 'content-encoding': codings } = head.headers;
        if (codings !== undefined) coding = codingOf(codings);
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

export const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

export function isEventStream({ status, headers }: ResponseHead): boolean {
  const [type = ''] = [headers['content-type'] ?? ''].flat();
  return isSuccess(status) && /^\s*text\/event-stream\s*(?:;|$)/i.test(type);
}
