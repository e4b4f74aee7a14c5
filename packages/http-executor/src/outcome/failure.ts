import type {
  FailureName,
  HttpRetryRecord,
  ResponseType,
  UpstreamError,
  Violation,
} from '@gatehouse/contracts';
import type { BodyFault } from '../attempt/body-reader.ts';
import { type AttemptResult, isSuccess, type ReceivedResponse } from '../attempt/result.ts';
import type { RedactedBody } from '../redact/redact.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { AttemptsReport } from '../retry/attempts.ts';

interface Failure {
  readonly error: FailureName;
  readonly message: string;
  readonly violations?: readonly Violation[];
}

export function toFailure(
  result: AttemptResult,
  body: RedactedBody | undefined,
  responseType: ResponseType,
  redactor: Redactor,
): Failure | undefined {
  const failure = unredactedFailure(result, body, responseType);
  return failure && { ...failure, message: redactor.text(failure.message) };
}

function unredactedFailure(
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

/** Returns the failure of a success status whose body is unreadable, mistyped or invalid. */
function bodyFailure(
  { status, body: { fault } }: ReceivedResponse,
  body: RedactedBody | undefined,
  responseType: ResponseType,
): Failure | undefined {
  const accepted = `The upstream accepted the request with status ${status}, but its body`;
  if (fault !== undefined) {
    const [error, what] = BODY_FAULTS[fault];
    return { error, message: `${accepted} ${what}.` };
  }
  if (body?.kind === 'excerpt') {
    const [error, instead] = MISTYPED_BODIES[responseType];
    return { error, message: `${accepted} is ${body.reason}; ${instead}.` };
  }
  if (body?.kind === 'withheld')
    return { error: 'RequestFailed', message: `${accepted} ${body.reason}.` };
  if (body === undefined || body.violations.length === 0) return undefined;
  const { violations } = body;
  const message = violations.map((violation) => violation.message).join('; ');
  return { error: 'SchemaValidationFailed', message, violations };
}

const ASK_FOR_BASE64 = [
  'RequestFailed',
  'use a `response_type` of `base64` to get its bytes',
] as const;

/** Failures of bodies that are not of the requested type, with a type that accepts them. */
const MISTYPED_BODIES: Readonly<Record<ResponseType, readonly [FailureName, string]>> = {
  json: ['ResponseNotJson', 'use a `response_type` of `auto` to accept text and bytes as well'],
  text: ASK_FOR_BASE64,
  base64: ASK_FOR_BASE64,
  auto: ASK_FOR_BASE64,
};

const BODY_FAULTS: Readonly<Record<BodyFault, readonly [FailureName, string]>> = {
  too_large: [
    'ResponseTooLarge',
    'is larger than this executor accepts; ask for less, for example page by page',
  ],
  undecodable: ['RequestFailed', 'could not be decompressed as its content-encoding says'],
  unknown_coding: [
    'RequestFailed',
    'has a content-encoding other than one of gzip, deflate, br and zstd',
  ],
  event_stream: [
    'ResponseNotJson',
    'is an event stream (`text/event-stream`); ask for JSON, or for a `response_type` of `text` if the stream ends',
  ],
};

/** Returns the failure of a non-success status, whatever its body. */
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
    return { error: 'HttpFailure', message: `${message} Its body ${body.reason}.` };
  if (responseType === 'json' || body?.kind !== 'excerpt') return { error: 'HttpFailure', message };
  return { error: 'HttpFailure', message: `${message} Its body is ${body.reason}.` };
}

export type ResponseMembers = {
  readonly [Name in 'status' | 'headers' | 'body' | 'body_type']?: UpstreamError[Name] | undefined;
};

interface OtherMembers {
  readonly response: ResponseMembers;
  readonly stats: {
    readonly attempts: number;
    readonly history: readonly HttpRetryRecord[];
    readonly redactions: number | undefined;
  };
}

/** Reports a single failure as it is, and several attempts with the latest in `last_error`. */
export function failureMembers(
  { reason, attempts, retryAfterMs: retry_after_ms }: AttemptsReport,
  { timeoutMessage, ...failure }: Failure & { timeoutMessage: string | undefined },
  { response, stats }: OtherMembers,
) {
  const outcome = 'failure' as const;
  // A violation has its pointer under two names, `path` and `pointer`.
  const violations = failure.violations?.map((each) => ({ path: each.pointer, ...each }));
  const last = { error: failure.error, message: failure.message, ...response, violations };
  const timedOut = reason === 'out_of_time' && failure.error === 'Timeout';
  if (reason === 'settled' || (timedOut && attempts === 1))
    return { outcome, ...last, ...stats, retry_after_ms };
  const [error, sentence] = STOPPED[reason](attempts);
  // A statement such as "Nothing was sent." may be true only of the last attempt, so the message names it.
  const message = `${sentence} The last: ${timeoutMessage ?? failure.message}`;
  if (timedOut) return { outcome, ...last, message, ...stats, retry_after_ms };
  const last_error = response.status === undefined ? last : { ...last, retry_after_ms };
  return { outcome, status: undefined, error, message, ...stats, last_error, retry_after_ms };
}

const STOPPED = {
  exhausted: (attempts: number) =>
    ['RetriesExhausted', `All ${attempts} attempts failed.`] as const,
  draining: (attempts: number) =>
    [
      'RetriesExhausted',
      `The executor is shutting down; attempt ${attempts + 1} was not made.`,
    ] as const,
  out_of_time: () => ['Timeout', 'The total time leaves no room for another attempt.'] as const,
};
