import type { Method, ResponseHeaders } from '@gatehouse/contracts';

export interface WireRequest {
  readonly method: Method;
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
  /** `any`: an idle or a new one; `own`: a new one that is closed after the request. */
  readonly connection: 'any' | 'new' | 'own';
}

/** Status and headers of a final response, not of a 1xx. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

export type Stage = 'resolving' | 'connecting' | 'sending';

/** Receives the events of one exchange: headers, data, then either the end or an error. */
export interface ResponseHandler {
  /**
   * Called as each stage begins; a reused connection has only `sending`.
   * INVARIANT: before `sending` no byte has left, so no one can have acted on the request.
   */
  onStage(stage: Stage): void;
  onHeaders(head: ResponseHead): void;
  /** Returns false for backpressure; then no more data arrives until `resume` is called. */
  onData(bytes: Buffer, resume: () => void): boolean;
  onEnd(): void;
  onError(error: TransportError): void;
}

/**
 * Sends one request, without redirects or retries. Returns a function that aborts the exchange
 * and closes its connection; after that, the handler is not called.
 */
export type Transport = (request: WireRequest, handler: ResponseHandler) => () => void;

/**
 * Resolves the addresses that a request to this URL would connect to.
 * @throws {TransportError}
 */
export type Preview = (url: URL, signal: AbortSignal) => Promise<string[]>;

/**
 * Why a request has no response:
 * - `address`: the sandbox refuses the address, and nothing was sent to it.
 * - `connection`: the connection failed or broke.
 * - `certificate`: TLS failed, or a certificate was refused.
 * - `protocol`: the response is not well-formed HTTP/1.1.
 */
export type TransportFault = 'address' | 'connection' | 'certificate' | 'protocol';

export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly fault: TransportFault;

  /** `message` is shown to the caller. */
  constructor(fault: TransportFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}
