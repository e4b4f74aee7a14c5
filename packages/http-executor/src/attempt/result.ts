import type { Classification, FailureName, HttpRetryRecord, Method } from '@gatehouse/contracts';
import type { WireResponse } from '../transport.ts';

export interface ReceivedResponse extends WireResponse {
  /** Sentence that says why a redirect was not followed. */
  readonly notFollowed?: string;
  /** False after a redirect to another origin or destination, where no credential may be sent. */
  readonly mayAuthenticate: boolean;
}

/** Reason why an attempt got no response. `classification` is set only if a retry may succeed. */
export interface AttemptFault {
  readonly error: Extract<FailureName, 'ConnectFailure' | 'Timeout' | 'RequestFailed'>;
  readonly message: string;
  readonly classification?: Classification | undefined;
  /** True if the sandbox refused the address, so this attempt sent nothing. */
  readonly addressRefused?: boolean;
}

export type AttemptResult =
  | { readonly response: ReceivedResponse }
  | { readonly fault: AttemptFault };

/** A failure after which another attempt may succeed. */
export type TransientFailure = Pick<HttpRetryRecord, 'classification' | 'status'>;

export interface AttemptStart {
  readonly attempt: number;
  readonly method: Method;
  readonly url: URL;
  /** Host of the chosen destination or allowlist entry, such as `*.example.com`. */
  readonly listedHost: string;
}

/**
 * End of an attempt. `classification` names a transient failure, such as `timeout`, or is one of:
 * - `answered`: the response is final;
 * - `failed`: there was a fault that a retry would not fix, such as a bad certificate;
 * - `refused`: the sandbox refused the address;
 * - `cancelled`: the caller has disconnected.
 */
export interface AttemptEnd {
  readonly classification: Classification | 'answered' | 'failed' | 'refused' | 'cancelled';
  readonly status?: number;
  /** Size of the response body after decompression, or 0 if there was no response. */
  readonly bytes: number;
  readonly duration_ms: number;
}

interface AttemptWatch {
  /** Trace headers to send, unless the action sets `traceparent`. */
  readonly traceHeaders?: ReadonlyMap<string, string>;
  ended(end: AttemptEnd): void;
}

/** Called before each attempt, for metrics and traces. */
export type Observer = (start: AttemptStart) => AttemptWatch;
