import type {
  Classification,
  FailureName,
  HttpRetryRecord,
  Method,
  Redirect,
} from '@gatehouse/contracts';
import type { WireResponse } from '../wire.ts';

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

/** Result of one attempt. */
export interface AttemptResult {
  readonly outcome: { readonly response: ReceivedResponse } | { readonly fault: AttemptFault };
  /** Redirects that were followed, in order. */
  readonly redirects: readonly Redirect[];
  /** Host names that the attempt sent requests to. */
  readonly hosts: readonly string[];
  /** True if an upstream may have acted on the request. */
  readonly maybeSent: boolean;
}

/** A failure after which another attempt may succeed. */
export type TransientFailure = Pick<HttpRetryRecord, 'classification' | 'status'>;

/** Returns why the attempt failed, if another attempt may succeed. */
export function transientFailure({ outcome }: AttemptResult): TransientFailure | undefined {
  if ('response' in outcome) {
    const { status } = outcome.response;
    const isTransient = status === 429 || (status >= 500 && status <= 599);
    return isTransient ? { classification: 'status', status } : undefined;
  }
  const { classification } = outcome.fault;
  return classification === undefined ? undefined : { classification };
}

/** Statuses that say that the upstream did not act on the request. */
const NOT_DONE: ReadonlySet<number> = new Set([401, 429]);

/** Returns true if an upstream may have carried out the request. */
export function maybeDone({ outcome, maybeSent }: AttemptResult): boolean {
  return maybeSent && !('response' in outcome && NOT_DONE.has(outcome.response.status));
}

/** Returns the sandbox's reason for refusing the address, if it did so and nothing was sent. */
export function addressRefused({ outcome }: AttemptResult): string | undefined {
  return 'fault' in outcome && outcome.fault.addressRefused ? outcome.fault.message : undefined;
}

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

export function attemptEnd(result: AttemptResult | undefined, duration_ms: number): AttemptEnd {
  if (result === undefined) return { classification: 'cancelled', bytes: 0, duration_ms };
  const { outcome } = result;
  const bytes = 'response' in outcome ? outcome.response.body.bytes.length : 0;
  const transient = transientFailure(result);
  if (transient !== undefined) return { ...transient, bytes, duration_ms };

  if ('response' in outcome)
    return { classification: 'answered', status: outcome.response.status, bytes, duration_ms };
  const classification = addressRefused(result) !== undefined ? 'refused' : 'failed';
  return { classification, bytes, duration_ms };
}
