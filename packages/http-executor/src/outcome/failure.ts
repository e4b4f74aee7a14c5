import type { FailureName, ResponseType, Violation } from '@gatehouse/contracts';
import type { BodyFault } from '../attempt/body-reader.ts';
import { type AttemptResult, isSuccess, type ReceivedResponse } from '../attempt/result.ts';
import type { RedactedBody } from '../redact/redact.ts';
import type { Redactor } from '../redact/redactor.ts';

/** What went wrong upstream, redacted. */
export interface Failure {
  readonly error: FailureName;
  readonly message: string;
  readonly violations?: readonly Violation[];
}

/** Undefined: it is a success. */
export function failureOf(
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
    ? failureOfSuccess(response, body, responseType)
    : failureOfStatus(response, body, responseType);
}

/** A success status is a failure where its body is not what was asked for. */
function failureOfSuccess(
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
    const [error, instead] = OTHER_BODIES[responseType];
    return { error, message: `${accepted} is ${body.reason}; ${instead}.` };
  }
  if (body?.kind === 'withheld')
    return { error: 'RequestFailed', message: `${accepted} ${body.reason}.` };
  if (body === undefined || body.violations.length === 0) return undefined;
  const { violations } = body;
  const message = violations.map((violation) => violation.message).join('; ');
  return { error: 'SchemaValidationFailed', message, violations };
}

const AS_IT_IS = ['RequestFailed', 'a `response_type` of `base64` shows it as it is'] as const;

/** A success whose body is not of the type that was asked for, and which type takes it. */
const OTHER_BODIES: Readonly<Record<ResponseType, readonly [FailureName, string]>> = {
  json: ['ResponseNotJson', 'a `response_type` of `auto` takes text and bytes, too'],
  text: AS_IT_IS,
  base64: AS_IT_IS,
  auto: AS_IT_IS,
};

const BODY_FAULTS: Readonly<Record<BodyFault, readonly [FailureName, string]>> = {
  too_large: [
    'ResponseTooLarge',
    'is larger than this executor takes; ask for less, for example page by page',
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

/** A non-success status stays what it is, whatever its body. */
function failureOfStatus(
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
