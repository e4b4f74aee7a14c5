import type { Method, ResponseHeaders } from '@gatehouse/contracts';

export interface WireRequest {
  readonly method: Method;
  readonly url: URL;
  /** Header names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
  /** True to reuse an idle connection, false to open a connection for this request alone. */
  readonly mayReuse: boolean;
  /** Requests share a connection only if their TLS files are the same. */
  readonly tls?: TlsFiles | undefined;
}

/** Contents of TLS files, in PEM format. */
export interface TlsFiles {
  readonly id: string;
  readonly ca: string | undefined;
  readonly identity: { readonly cert: string; readonly key: string } | undefined;
}

/** Status and headers of a final response, not of an informational (1xx) response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/** `tunneling`: the proxy is asked to connect to the host. */
export type Stage = 'resolving' | 'tunneling' | 'connecting' | 'sending';

export type BodyFault = 'too_large' | 'undecodable' | 'unknown_coding' | 'event_stream';

/** Response body. If there is a `fault`, `bytes` has only the part that could be read. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly fault?: BodyFault | undefined;
}

export interface WireResponse extends ResponseHead {
  readonly body: ReadBody;
}

export interface SendOptions {
  /** Closes the connection. After that, no callback is called, and the promise may never settle. */
  readonly signal: AbortSignal;
  /** Size limit for the body, before and after decompression. */
  readonly maxBytes: number;
  /**
   * Called when a stage begins. On a reused connection, the only stage is `sending`.
   * INVARIANT: no byte of the request is sent before the stage `sending`, so the upstream cannot
   * have acted on the request earlier.
   */
  readonly onStage?: (stage: Stage) => void;
  /** Returns a fault if the body must be skipped, for example if it is an event stream. */
  readonly refuseBody?: (head: ResponseHead) => BodyFault | undefined;
}

/**
 * Sends one request, without redirects or retries, and reads the response up to the size limit.
 * @throws {TransportError}
 */
export type Transport = (request: WireRequest, options: SendOptions) => Promise<WireResponse>;

/** Lists the IP addresses that a request to the URL could connect to. @throws {TransportError} */
export type Preview = (url: URL, signal: AbortSignal) => Promise<string[]>;

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
