import type { Method, ResponseHeaders } from '@gatehouse/contracts';

/** One request as it goes onto the wire. */
export interface WireRequest {
  readonly method: Method;
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
  /** `any`: one that is kept, or a new one; `own`: a new one that is closed afterwards. */
  readonly connection: 'any' | 'new' | 'own';
}

/** Status and headers of a final response, never of a 1xx. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/** What an exchange is at: resolving the name, connecting, or sending the request. */
export type Stage = 'resolving' | 'connecting' | 'sending';

/** Hears of one exchange: headers, data, then either the end or an error. */
export interface ResponseHandler {
  /**
   * Called as each stage begins; a kept connection has `sending` alone.
   * INVARIANT: without `sending` no byte has left, so nobody can have acted on the request.
   */
  onStage(stage: Stage): void;
  onHeaders(head: ResponseHead): void;
  /** False is backpressure: no more data until `resume` is called. */
  onData(bytes: Buffer, resume: () => void): boolean;
  onEnd(): void;
  onError(error: TransportError): void;
}

/**
 * Sends one request once, without redirects or retries. Returns a function that aborts the
 * exchange and closes its connection; after that, the handler hears nothing.
 */
export type Transport = (request: WireRequest, handler: ResponseHandler) => () => void;

/**
 * The addresses that a request to this URL would connect to, without connecting.
 * @throws {TransportError}
 */
export type Preview = (url: URL, signal: AbortSignal) => Promise<string[]>;

/**
 * Why a request has no response:
 * - `address`: the sandbox refuses the address; nothing was sent to it;
 * - `connection`: it was not established, or it broke;
 * - `certificate`: TLS was not established, or a certificate was refused;
 * - `protocol`: the upstream did not answer in well-formed HTTP/1.1.
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
