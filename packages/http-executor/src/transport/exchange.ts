import type { ResponseHeaders } from '@gatehouse/contracts';
import type { Dispatcher } from 'undici';
import { Cancelled } from '../errors.ts';
import type {
  BodyFault,
  ReadBody,
  ResponseHead,
  SendOptions,
  Stage,
  WireResponse,
} from '../transport.ts';
import { codingOf, decompress } from './decompress.ts';
import { ABORTED, type Reached, toTransportError } from './faults.ts';

/** Sends one request on one connection, and reads the response up to the size limit. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #response = Promise.withResolvers<WireResponse>();
  /** Rejects with a `TransportError`, or `Cancelled` on `close`. Never settles if aborted. */
  readonly response = this.#response.promise;
  readonly #url: URL;
  readonly #options: SendOptions;
  readonly #ended: (completed: boolean) => void;
  readonly #received = new Block();
  #head: ResponseHead = { status: 0, headers: {} };
  #coding: ReturnType<typeof codingOf> = 'none';
  #reached: Reached = 'connecting';
  #over = false;

  /** `ended` is called once, with `true` if the response was complete. */
  constructor(url: URL, options: SendOptions, ended: (completed: boolean) => void) {
    this.#url = url;
    this.#options = options;
    this.#ended = ended;
    options.signal.addEventListener('abort', () => {
      if (!this.#over) this.#end(false);
    });
  }

  onConnecting(stage: Stage): void {
    if (!this.#over) this.#options.onStage?.(stage);
  }

  onRequestStart(): void {
    if (this.#over) return;
    this.#reached = 'request';
    this.#options.onStage?.('sending');
  }

  /** Header names are in lower case, values are latin1 strings, and repeated headers are arrays. */
  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders) {
    if (this.#over) return;
    this.#reached = 'response';
    // Ignore an informational response.
    if (status < 200) return;
    this.#head = { status, headers };
    const { 'content-encoding': codings } = headers;
    if (codings !== undefined) this.#coding = codingOf(codings);
    const fault = this.#options.refuseBody?.(this.#head);
    if (fault !== undefined) this.#stopReading(fault, NOTHING);
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#over) return;
    this.#received.append(bytes);
    const { maxBytes } = this.#options;
    const isPlain = this.#coding === 'none';
    if (this.#received.size <= (isPlain ? maxBytes : maxCodedBytes(maxBytes))) return;
    this.#stopReading('too_large', isPlain ? this.#received.bytes.subarray(0, maxBytes) : NOTHING);
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#end(true);
    const { bytes } = this.#received;
    if (this.#coding === 'none') this.#resolve({ bytes });
    else
      void decompress(bytes, this.#coding, this.#options.maxBytes).then((body) =>
        this.#resolve(body),
      );
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#over) return;
    this.#end(false);
    // Until an exchange is over, only the closing executor aborts its connection.
    const isClosing = error === ABORTED;
    const fault = isClosing ? new Cancelled() : toTransportError(error, this.#url, this.#reached);
    this.#response.reject(fault);
  }

  #stopReading(fault: BodyFault, bytes: Buffer): void {
    this.#end(false);
    this.#resolve({ bytes, fault });
  }

  #resolve(body: ReadBody): void {
    this.#response.resolve({ ...this.#head, body });
  }

  #end(completed: boolean): void {
    this.#over = true;
    this.#ended(completed);
  }
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
