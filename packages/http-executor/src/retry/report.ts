import type { HttpRetryRecord, Method } from '@gatehouse/contracts';
import {
  type AttemptResult,
  maybeDone,
  type TransientFailure,
  transientFailure,
} from '../attempt/result.ts';
import { retryAfterMs } from '../retry-after.ts';
import type { StopReason } from './decide.ts';

export interface EndedAttempt {
  readonly result: AttemptResult;
  /** The failure, if another attempt may succeed. */
  readonly failure: TransientFailure | undefined;
  /** `Retry-After` of the response, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  readonly durationMs: number;
  /** Wait after the attempt, in milliseconds, once that wait is over. */
  delayMs: number;
}

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

/** Describes an attempt by its result. `now` is compared with a date in `Retry-After`. */
export function endedAttempt(result: AttemptResult, durationMs: number, now: Date): EndedAttempt {
  const { outcome } = result;
  const headers = 'response' in outcome ? outcome.response.headers : undefined;
  return {
    ...{ result, failure: transientFailure(result), durationMs, delayMs: 0 },
    retryAfterMs: headers && retryAfterMs(headers, now),
  };
}

const hasResponse = ({ result: { outcome } }: EndedAttempt): boolean => 'response' in outcome;

/** Returns the `Retry-After` of the last response, in milliseconds. */
export const lastRetryAfterMs = (ended: readonly EndedAttempt[]): number | undefined =>
  ended.findLast(hasResponse)?.retryAfterMs;

/** Returns an attempt as the outcome's `history` shows it. */
export function recordOf(attempt: EndedAttempt, number: number): HttpRetryRecord {
  const { failure, result, durationMs, delayMs } = attempt;
  const { outcome } = result;
  const { classification = 'status' } = failure ?? {};
  const status = 'response' in outcome ? outcome.response.status : undefined;
  const known = status === undefined ? { classification } : { classification, status };
  return { attempt: number, ...known, delay_ms: delayMs, duration_ms: Math.round(durationMs) };
}

/** The methods that are retried and change something. */
const WRITES: ReadonlySet<string> = new Set(['PUT', 'DELETE']);

interface Ending extends Pick<AttemptsReport, 'reason' | 'note'> {
  readonly method: Method;
}

/**
 * Reports the last result, with two exceptions after a timeout at the total time limit:
 * 1. If there was only one attempt, the reason is `settled`, so that its timeout is the failure.
 * 2. If an earlier attempt did not time out, reports that attempt, because it says more.
 */
export function reportOf(ended: readonly EndedAttempt[], ending: Ending): AttemptsReport {
  const { reason, note, method } = ending;
  const last = ended.at(-1) as EndedAttempt;
  const before = ended.slice(0, -1);
  const report = {
    ...{ reason, note, result: last.result, lastMessage: undefined, attempts: ended.length },
    history: historyOf(ended),
    retryAfterMs: lastRetryAfterMs(ended),
    maybeDone: WRITES.has(method) && before.some(({ result }) => maybeDone(result)),
  };
  const { outcome } = last.result;
  const isTimeout = 'fault' in outcome && outcome.fault.classification === 'timeout';
  if (reason !== 'out_of_time' || !isTimeout) return report;

  if (before.length === 0) return { ...report, reason: 'settled' };

  const earlier = before.findLast(({ failure }) => failure?.classification !== 'timeout');
  if (earlier === undefined) return report;

  return { ...report, result: earlier.result, lastMessage: outcome.fault.message };
}

/**
 * Lists the failed attempts. A refused token counts only if the request was sent again. A wait
 * counts only if another attempt followed.
 */
function historyOf(ended: readonly EndedAttempt[]): HttpRetryRecord[] {
  return ended.flatMap((attempt, index) => {
    const record = recordOf(attempt, index + 1);
    if (index + 1 < ended.length) return record;

    return attempt.failure === undefined ? [] : { ...record, delay_ms: 0 };
  });
}
