import type { Classification, Method } from '@gatehouse/contracts';
import { type AttemptResult, transientFailure } from './result.ts';

export interface AttemptStart {
  /** From 1. */
  readonly attempt: number;
  readonly method: Method;
  readonly url: URL;
}

/**
 * How one attempt ended: a transient failure; `answered` with a response that settles it;
 * `failed` for good, as with a certificate; `refused` by the address guard; `cancelled`
 * because the caller has gone away.
 */
export interface AttemptEnd {
  readonly classification: Classification | 'answered' | 'failed' | 'refused' | 'cancelled';
  readonly status?: number;
  /** Of the response body after decompression; 0 without a response. */
  readonly bytes: number;
  readonly duration_ms: number;
}

export interface AttemptWatch {
  /** Sent to the upstream in place of the execution's own `traceHeaders`. */
  readonly traceHeaders?: ReadonlyMap<string, string>;
  ended(end: AttemptEnd): void;
}

/** The seam for metrics and traces: called before each attempt. */
export type Observer = (start: AttemptStart) => AttemptWatch;

/** What a watch is told; a result is missing when the caller has gone away. */
export function describeEnd(result: AttemptResult | undefined, duration_ms: number): AttemptEnd {
  if (result === undefined) return { classification: 'cancelled', bytes: 0, duration_ms };
  const bytes = 'response' in result ? result.response.body.bytes.length : 0;
  const transient = transientFailure(result);
  if (transient !== undefined) return { ...transient, bytes, duration_ms };
  if ('response' in result)
    return { classification: 'answered', status: result.response.status, bytes, duration_ms };
  const classification = result.fault.addressRefused === true ? 'refused' : 'failed';
  return { classification, bytes, duration_ms };
}
