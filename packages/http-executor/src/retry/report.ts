import type { HttpRetryRecord } from '@gatehouse/contracts';
import type { AttemptResult } from '../attempt/result.ts';
import type { StopReason } from './decide.ts';

/** Result of all attempts of an execution. */
export interface AttemptsReport {
  readonly reason: StopReason;
  /** The last result. If the total time ran out, the last one that was not a timeout, if any. */
  readonly result: AttemptResult;
  /** Error message of the last attempt, set only if `result` is from an earlier attempt. */
  readonly lastMessage: string | undefined;
  readonly attempts: number;
  readonly history: readonly HttpRetryRecord[];
  /** `Retry-After` of the last response, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** True if an attempt before the last one may have been carried out. */
  readonly maybeDone: boolean;
  /** Why a token could not be renewed after a 401, for the log. */
  readonly note: string | undefined;
}

/**
 * Reports the last result, with two exceptions after a timeout at the total time limit:
 * 1. If there was only one attempt, the reason is `settled`, so that its timeout is the failure.
 * 2. If an earlier attempt did not time out, reports that attempt, because it says more.
 */
export function reportOf(last: AttemptsReport, earlier: AttemptResult | undefined): AttemptsReport {
  const { outcome } = last.result;
  const isTimeout = 'fault' in outcome && outcome.fault.classification === 'timeout';
  if (last.reason !== 'out_of_time' || !isTimeout) return last;

  if (last.attempts === 1) return { ...last, reason: 'settled' };

  if (earlier === undefined) return last;

  return { ...last, result: earlier, lastMessage: outcome.fault.message };
}
