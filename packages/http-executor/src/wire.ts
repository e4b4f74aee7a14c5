import type { Method, ResponseHeaders } from '@gatehouse/contracts';
import type { TlsFiles } from './destinations/tls-files.ts';

export interface WireRequest {
  readonly method: Method;
  readonly url: URL;
  /** Header names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | Buffer | undefined;
  /** Requests share a connection only if their TLS files are the same. */
  readonly tls?: TlsFiles | undefined;
}

/** Status and headers of a final response, not of an informational (1xx) response. */
export interface ResponseHead {
  readonly status: number;
  /** Header names are in lower case, and values are latin1 strings. */
  readonly headers: ResponseHeaders;
}

export type BodyFault = 'too_large' | 'undecodable' | 'unknown_coding' | 'event_stream';

/** Response body. If there is a `fault`, `bytes` has only the part that could be read. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly fault?: BodyFault | undefined;
}

/** True for a 2xx status. */
export const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

export interface WireResponse extends ResponseHead {
  readonly body: ReadBody;
}

export interface SendOptions {
  /** Stops the request. */
  readonly signal: AbortSignal;
  /** Size limit for the body, before and after decompression. */
  readonly maxBytes: number;
  /** Waits until the body may take this many bytes of memory in total. */
  readonly reserve?: ((bytes: number) => Promise<void> | undefined) | undefined;
  /**
   * Called just before the first byte of the request is sent. If it throws, nothing is sent.
   * INVARIANT: if this was never called, the upstream cannot have acted on the request.
   */
  readonly onSending?: () => void;
  /** Returns a fault if only the body's beginning must be read, as of an event stream. */
  readonly refuseBody?: (head: ResponseHead) => BodyFault | undefined;
}

/**
 * Sends one request, without redirects or retries, and reads the response up to the size limit.
 * @throws {TransportError}
 */
export type Transport = (request: WireRequest, options: SendOptions) => Promise<WireResponse>;

/** Lists the IP addresses that a request to the URL could connect to. @throws {TransportError} */
export type Preview = (url: URL) => Promise<string[]>;

/**
 * Reason why a request has no response:
 * - `address`: the sandbox refuses the address, and nothing was sent to it.
 * - `connection`: the connection failed or broke.
 * - `certificate`: the TLS handshake failed, or a certificate was refused.
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
