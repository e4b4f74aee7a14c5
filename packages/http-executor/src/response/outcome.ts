import type {
  BodyType,
  FailureName,
  HttpRetryRecord,
  ResponseType,
  Violation,
} from '@gatehouse/contracts';
import type { AttemptResult, ReceivedResponse } from '../attempt/attempt.ts';
import type { BodyFault } from '../attempt/body-reader.ts';
import type { AttemptsReport } from '../attempt/retry-loop.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { Examined } from './examine.ts';
import { writeFailure, writeSuccess } from './outcome-json.ts';
import type { CompiledSchema } from './response-schemas.ts';

/** The answer to an execution, and what logs and metrics say of it. */
export interface Outcome {
  readonly outcome: 'success' | 'failure';
  readonly error?: FailureName;
  readonly status?: number;
  readonly attempts: number;
  readonly redactions: number;
  /** An `ExecutionOutcome` (contract section 3) as JSON in UTF-8. */
  readonly json: Buffer;
}

/** What went wrong upstream, redacted. */
export interface Failure {
  readonly error: FailureName;
  readonly message: string;
  readonly status?: number;
  readonly violations?: readonly Violation[];
}

/** A body as it is shown. */
export interface ShownBody {
  readonly json: Uint8Array;
  /** Set where the action has a `response_type`. */
  readonly type: BodyType | undefined;
}

/** The members that every outcome has. */
export interface ExecutionStats {
  readonly attempts: number;
  readonly history: readonly HttpRetryRecord[];
  readonly redactions?: number;
  /** Of a failure alone. */
  readonly retry_after_ms?: number;
}

/** Characters shown of a body that is not of the type asked for: of an error page, and of a success. */
const TEXT_CHARS = 2_000;
const EXCERPT_CHARS = 200;

export const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

export const shownChars = (status: number): number =>
  isSuccess(status) ? EXCERPT_CHARS : TEXT_CHARS;

/** What the action brings for the body of the response. */
export interface Applied {
  readonly schema: CompiledSchema | undefined;
  readonly responseType: ResponseType | undefined;
  readonly redactor: Redactor;
}

/** The last stage: the outcome that the caller sees (contract, section 3). */
export function toOutcome(
  { result, late, attempts, history, reason, retryAfterMs }: AttemptsReport,
  examined: Examined | undefined,
  applied: Applied,
): Outcome {
  const { redactor } = applied;
  const failure = failureOf(result, examined, applied);
  const headers = 'response' in result ? redactor.headers(result.response.headers) : undefined;
  const inBody = examined !== undefined && 'redactions' in examined ? examined.redactions : 0;
  const redactions = redactor.count() + inBody;
  const stats: ExecutionStats = { attempts, history, ...(redactions > 0 ? { redactions } : {}) };
  const body = bodyOf(examined, applied.responseType);
  const status = 'response' in result ? { status: result.response.status } : {};
  if (failure === undefined) {
    const json = writeSuccess(status.status ?? 0, headers ?? '{}', body, stats);
    return { outcome: 'success', ...status, attempts, redactions, json };
  }
  const asked = retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs };
  const shown = { failure, headers, body, late: late && redactor.text(late) };
  const { error, json } = writeFailure(shown, reason, { ...stats, ...asked });
  const ofResponse = error === failure.error ? status : {};
  return { outcome: 'failure', error, ...ofResponse, attempts, redactions, json };
}

/** Undefined: there is none, or it is not shown. */
function bodyOf(
  examined: Examined | undefined,
  responseType: ResponseType | undefined,
): ShownBody | undefined {
  if (examined === undefined || examined.kind === 'withheld') return undefined;
  const { kind } = examined;
  const [type, json] =
    kind === 'excerpt'
      ? (['text', Buffer.from(JSON.stringify(examined.text))] as const)
      : [kind, examined.bytes];
  return { json, type: responseType === undefined ? undefined : type };
}

/** Undefined: it is a success. */
function failureOf(
  result: AttemptResult,
  examined: Examined | undefined,
  applied: Applied,
): Failure | undefined {
  const { redactor } = applied;
  if ('fault' in result)
    return { error: result.fault.error, message: redactor.text(result.fault.message) };
  const { response } = result;
  const failure = isSuccess(response.status)
    ? failureOfSuccess(response, examined, applied)
    : failureOfStatus(response, examined, applied);
  return (
    failure && { ...failure, message: redactor.text(failure.message), status: response.status }
  );
}

/** A success status is a failure where its body is not what was asked for. */
function failureOfSuccess(
  { status, body }: ReceivedResponse,
  examined: Examined | undefined,
  { responseType = 'json' }: Applied,
): Failure | undefined {
  const accepted = `The upstream accepted the request with status ${status}, but its body`;
  if (body.fault !== undefined) {
    const [error, what] = BODY_FAULTS[body.fault];
    return { error, message: `${accepted} ${what}.` };
  }
  if (examined?.kind === 'excerpt') {
    const [error, instead] = OTHER_BODIES[responseType];
    return { error, message: `${accepted} is ${examined.reason}; ${instead}.` };
  }
  if (examined?.kind === 'withheld')
    return { error: 'RequestFailed', message: `${accepted} ${examined.reason}.` };
  if (examined === undefined || examined.violations.length === 0) return undefined;
  return schemaFailure(examined.violations);
}

const AS_IT_IS = ['RequestFailed', 'a `response_type` of `base64` shows it as it is'] as const;

/** A success whose body is not of the type that was asked for, and which type takes it. */
const OTHER_BODIES: Readonly<Record<ResponseType, readonly [FailureName, string]>> = {
  json: ['ResponseNotJson', 'a `response_type` of `auto` takes text and bytes, too'],
  text: AS_IT_IS,
  base64: AS_IT_IS,
  auto: AS_IT_IS,
};

function schemaFailure(violations: readonly Violation[]): Failure {
  const message = violations.map((violation) => violation.message).join('; ');
  return { error: 'SchemaValidationFailed', message, violations };
}

const BODY_FAULTS: Readonly<Record<BodyFault, readonly [FailureName, string]>> = {
  too_large: [
    'ResponseTooLarge',
    'is larger than this executor takes; ask for less, for example page by page',
  ],
  undecodable: ['RequestFailed', 'could not be decompressed as its content-encoding says'],
  event_stream: [
    'ResponseNotJson',
    'is a stream of `text/event-stream` events; a `response_type` of `text` shows those that arrive within the time limit',
  ],
  stream_timeout: [
    'Timeout',
    'is a stream of `text/event-stream` events that did not end within the time limit; `body` has those that arrived',
  ],
  stream_broken: [
    'ConnectFailure',
    'is a stream of `text/event-stream` events whose connection broke off; `body` has those that arrived',
  ],
  unknown_coding: ['RequestFailed', 'has a content-encoding other than gzip, deflate, br and zstd'],
};

/** A non-success status stays what it is, whatever its body. */
function failureOfStatus(
  { status, notFollowed }: ReceivedResponse,
  examined: Examined | undefined,
  { responseType = 'json' }: Applied,
): Failure {
  const message =
    notFollowed === undefined
      ? `The upstream answered with status ${status}.`
      : `The upstream answered with a redirect (${status}) that was not followed: ${notFollowed}`;
  if (examined?.kind === 'withheld')
    return { error: 'HttpFailure', message: `${message} Its body ${examined.reason}.` };
  if (responseType === 'json' || examined?.kind !== 'excerpt')
    return { error: 'HttpFailure', message };
  return { error: 'HttpFailure', message: `${message} Its body is ${examined.reason}.` };
}
