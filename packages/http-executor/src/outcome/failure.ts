import type { FailureName, ResponseType, UpstreamError, Violation } from '@gatehouse/contracts';
import { isSuccess } from '../attempt/attempt.ts';
import type { AttemptResult, ReceivedResponse } from '../attempt/result.ts';
import type { RedactedBody } from '../redact/redact.ts';
import type { AttemptsReport } from '../retry/attempts.ts';
import type { BodyFault } from '../transport.ts';

interface Failure {
  readonly error: FailureName;
  readonly message: string;
  readonly violations?: readonly Violation[];
}

/**
 * Returns undefined for a success, otherwise the first failure that applies:
 * 1. no response, for example because the connection failed;
 * 2. a status other than 2xx, whatever the body;
 * 3. a body that is unreadable, of the wrong type, withheld or invalid.
 */
export function failureOf(
  result: AttemptResult,
  body: RedactedBody | undefined,
  responseType: ResponseType,
): Failure | undefined {
  if ('fault' in result) return { error: result.fault.error, message: result.fault.message };
  const { response } = result;
  return isSuccess(response.status)
    ? bodyFailure(response, body, responseType)
    : statusFailure(response, body, responseType);
}

function bodyFailure(
  { status, body: { fault } }: ReceivedResponse,
  body: RedactedBody | undefined,
  responseType: ResponseType,
): Failure | undefined {
  const accepted = `The upstream accepted the request with status ${status}, but the response body`;
  if (fault !== undefined) {
    const [error, what] = BODY_FAULTS[fault];
    return { error, message: `${accepted} ${what}.` };
  }
  if (body?.kind === 'excerpt') {
    const isJson = responseType === 'json';
    const [type, gain] = isJson ? ['auto', 'accept text and bytes'] : ['base64', 'get the bytes'];
    const message = `${accepted} is ${body.reason}; if it is safe to send the request again, set \`response_type\` to \`${type}\` to ${gain}.`;
    return { error: isJson ? 'ResponseNotJson' : 'RequestFailed', message };
  }
  if (body?.kind === 'withheld')
    return { error: 'RequestFailed', message: `${accepted} ${body.reason}.` };
  if (body === undefined || body.violations.length === 0) return undefined;
  const { violations } = body;
  const message = violations.map((violation) => violation.message).join('; ');
  return { error: 'SchemaValidationFailed', message, violations };
}

const BODY_FAULTS: Readonly<Record<BodyFault, readonly [FailureName, string]>> = {
  too_large: [
    'ResponseTooLarge',
    'is larger than this executor accepts; ask for less, for example page by page',
  ],
  undecodable: ['RequestFailed', 'is corrupt or does not match its `content-encoding`'],
  unknown_coding: [
    'RequestFailed',
    'has an unsupported `content-encoding`; the upstream must use gzip, deflate or br',
  ],
  event_stream: [
    'ResponseNotJson',
    'is an event stream (`text/event-stream`); ask for JSON or, if the upstream eventually closes the stream, set `response_type` to `text`',
  ],
};

function statusFailure(
  { status, notFollowed }: ReceivedResponse,
  body: RedactedBody | undefined,
  responseType: ResponseType,
): Failure {
  const message =
    notFollowed === undefined
      ? `The upstream answered with status ${status}.`
      : `The upstream answered with a redirect (${status}) that was not followed: ${notFollowed}`;
  if (body?.kind === 'withheld')
    return { error: 'HttpFailure', message: `${message} The response body ${body.reason}.` };
  if (responseType === 'json' || body?.kind !== 'excerpt') return { error: 'HttpFailure', message };
  return { error: 'HttpFailure', message: `${message} The response body is ${body.reason}.` };
}

export type ResponseMembers = {
  readonly [Name in 'status' | 'headers' | 'body' | 'body_type']?: UpstreamError[Name] | undefined;
};

/** A failure whose message has already been redacted. */
interface ReportedFailure extends Failure {
  /** Error message of the last attempt, set only if `message` is from an earlier attempt. */
  readonly lastMessage: string | undefined;
  readonly response: ResponseMembers;
}

/**
 * Builds the JSON members that describe a failed outcome:
 * 1. if this failure ended the execution, the outcome reports the failure itself;
 * 2. if every attempt timed out and no time is left, the error is `Timeout`, without `last_error`;
 * 3. otherwise, the error is `RetriesExhausted` or `Timeout`, with the failure as `last_error`.
 */
export function failureMembers(
  { reason, attempts, history, retryAfterMs: retry_after_ms }: AttemptsReport,
  { error, message, lastMessage, response, ...failure }: ReportedFailure,
  redactions: number | undefined,
) {
  const outcome = 'failure' as const;
  const stats = { attempts, history, redactions };
  // Rename `pointer` to `path`, the name that the specification uses in outcomes.
  const violations = failure.violations?.map(({ pointer: path, message }) => ({ path, message }));
  const last = { error, message, ...response, violations };
  if (reason === 'settled') return { outcome, ...last, ...stats, retry_after_ms };
  const [summary, sentence] = SUMMARIES[reason](attempts);
  // Say that `message` is about the last attempt, because others may have failed differently.
  const all = `${sentence} The last attempt failed: ${lastMessage ?? message}`;
  const summarized = { outcome, error: summary, message: all, ...stats };
  if (error === 'Timeout' && summary === 'Timeout') return { ...summarized, retry_after_ms };
  const last_error = response.status === undefined ? last : { ...last, retry_after_ms };
  return { ...summarized, last_error, retry_after_ms };
}

const SUMMARIES = {
  exhausted: (attempts: number) => ['RetriesExhausted', `All ${attempts} attempts failed.`],
  draining: (attempts: number) => [
    'RetriesExhausted',
    `The executor is shutting down, so attempt ${attempts + 1} was not started.`,
  ],
  out_of_time: () => ['Timeout', 'There was no time left for another attempt.'],
} satisfies Record<string, (attempts: number) => readonly [FailureName, string]>;
