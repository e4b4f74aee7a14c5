import type { Method, ResponseHeaders } from '@gatehouse/contracts';
import type { OnCutOff } from './attempt/deadline.ts';

/** One request as it goes onto the wire. */
export interface WireRequest {
  readonly method: Method;
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
}

/** The head of a response; 1xx responses are none. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/**
 * How far an exchange has come: its name is resolved, a connection is made, the request
 * is sent.
 */
export type Stage = 'resolving' | 'connecting' | 'sending';

/**
 * Follows one exchange: the head, the parts of the body, and then either its end or a
 * failure.
 */
export interface ResponseHandler {
  /**
   * Called as each stage begins; on a connection that is there already, `sending` is the
   * only one. INVARIANT: `sending` comes before the first byte of the request, so that
   * before it nobody can have acted on it.
   */
  reached(stage: Stage): void;
  head(head: ResponseHead): void;
  /**
   * Takes a part of the body; false asks to wait with the next one until `resume` is
   * called.
   */
  part(bytes: Buffer, resume: () => void): boolean;
  end(): void;
  failed(error: TransportError): void;
}

/**
 * Sends one request, once: no redirects, no retries. The function that it returns gives
 * the exchange up, wherever it is, with its connection; the handler hears nothing more
 * then.
 */
export type Transport = (request: WireRequest, handler: ResponseHandler) => () => void;

/**
 * The addresses that a request to this URL would connect to, without connecting. Rejects
 * with a `TransportError`.
 */
export type Preview = (url: URL, onCutOff: OnCutOff) => Promise<string[]>;

/**
 * What kept a request from being answered:
 * - `address`: the sandbox does not let this host be reached at its address; nothing was
 *   sent to it;
 * - `connection`: none came about, or it broke;
 * - `certificate`: TLS was not established, or a certificate was refused;
 * - `protocol`: the upstream did not answer in well-formed HTTP/1.1.
 */
export type TransportFault = 'address' | 'connection' | 'certificate' | 'protocol';

export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly fault: TransportFault;

  /** `message` says what happened, in a form that may be shown to the caller. */
  constructor(fault: TransportFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}
