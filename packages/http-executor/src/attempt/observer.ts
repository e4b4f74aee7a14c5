import type { Classification, Method } from '@gatehouse/contracts';
import { type AttemptResult, transientFailure } from './result.ts';

export interface AttemptStart {
  readonly attempt: number;
  readonly method: Method;
  readonly url: URL;
}

/**
 * How an attempt ended:
 * - the classification of a transient failure;
 * - `answered`: with a response that is final;
 * - `failed`: with a fault that another attempt would not cure, such as a bad certificate;
 * - `refused`: by the address guard;
 * - `cancelled`: because the caller has gone away.
 */
export interface AttemptEnd {
  readonly classification: Classification | 'answered' | 'failed' | 'refused' | 'cancelled';
  readonly status?: number;
  /** Size of the response body after decompression; 0 without a response. */
  readonly bytes: number;
  readonly duration_ms: number;
}

export interface AttemptWatch {
  /** Replaces the `traceHeaders` of the execution. */
  readonly traceHeaders?: ReadonlyMap<string, string>;
  ended(end: AttemptEnd): void;
}

/** Called before each attempt, for metrics and traces. */
export type Observer = (start: AttemptStart) => AttemptWatch;

export function attemptEnd(result: AttemptResult | undefined, duration_ms: number): AttemptEnd {
  if (result === undefined) return { classification: 'cancelled', bytes: 0, duration_ms };
  const bytes = 'response' in result ? result.response.body.bytes.length : 0;
  const transient = transientFailure(result);
  if (transient !== undefined) return { ...transient, bytes, duration_ms };
  if ('response' in result)
    return { classification: 'answered', status: result.response.status, bytes, duration_ms };
  const classification = result.fault.addressRefused === true ? 'refused' : 'failed';
  return { classification, bytes, duration_ms };
}
