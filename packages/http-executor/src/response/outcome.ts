import type { FailureName, HttpRetryRecord, Violation } from '@gatehouse/contracts';
import type { AttemptResult, ReceivedResponse } from '../attempt/attempt.ts';
import type { BodyFault } from '../attempt/body-reader.ts';
import type { AttemptsReport } from '../attempt/retry-loop.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { Examined } from './examine.ts';
import { unchecked } from './validate.ts';
import { writeFailure, writeSuccess } from './write.ts';

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
  /** JSON. */
  readonly body?: Uint8Array;
  readonly violations?: readonly Violation[];
}

/** The members that every outcome has. */
export interface ExecutionStats {
  readonly attempts: number;
  readonly history: readonly HttpRetryRecord[];
  readonly redactions?: number;
  /** Of a failure alone. */
  readonly retry_after_ms?: number;
}

/** Characters shown of a body that is not JSON: of an error page, and of a success. */
const TEXT_CHARS = 2_000;
const EXCERPT_CHARS = 200;

export const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

export const shownChars = (status: number): number =>
  isSuccess(status) ? EXCERPT_CHARS : TEXT_CHARS;

/** What the earlier stages worked with. */
interface Applied {
  readonly hasSchema: boolean;
  readonly redactor: Redactor;
}

/** The last stage: the outcome that the caller sees (contract, section 3). */
export function toOutcome(
  { result, attempts, history, reason, retryAfterMs }: AttemptsReport,
  examined: Examined | undefined,
  applied: Applied,
): Outcome {
  const { redactor } = applied;
  const failure = failureOf(result, examined, applied);
  const headers = 'response' in result ? redactor.headers(result.response.headers) : undefined;
  const inBody = examined !== undefined && 'redactions' in examined ? examined.redactions : 0;
  const redactions = redactor.count() + inBody;
  const stats: ExecutionStats = { attempts, history, ...(redactions > 0 ? { redactions } : {}) };
  const status = 'response' in result ? { status: result.response.status } : {};
  if (failure === undefined) {
    const body = examined?.kind === 'json' ? examined.bytes : Buffer.from('null');
    const json = writeSuccess(status.status ?? 0, headers ?? '{}', body, stats);
    return { outcome: 'success', ...status, attempts, redactions, json };
  }
  const asked = retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs };
  const { error, json } = writeFailure(failure, headers, reason, { ...stats, ...asked });
  const ofResponse = error === failure.error ? status : {};
  return { outcome: 'failure', error, ...ofResponse, attempts, redactions, json };
}

/** Undefined: it is a success. */
function failureOf(
  result: AttemptResult,
  examined: Examined | undefined,
  { hasSchema, redactor }: Applied,
): Failure | undefined {
  if ('fault' in result)
    return { error: result.fault.error, message: redactor.text(result.fault.message) };
  const { response } = result;
  const failure = isSuccess(response.status)
    ? failureOfSuccess(response, examined, hasSchema)
    : failureOfStatus(response, examined);
  return (
    failure && { ...failure, message: redactor.text(failure.message), status: response.status }
  );
}

/** A success status is a failure where its body is not what was asked for. */
function failureOfSuccess(
  { status, body }: ReceivedResponse,
  examined: Examined | undefined,
  hasSchema: boolean,
): Failure | undefined {
  const accepted = `The upstream accepted the request with status ${status}, but its body`;
  if (body.fault !== undefined) {
    const [error, what] = BODY_FAULTS[body.fault];
    return { error, message: `${accepted} ${what}.` };
  }
  if (examined?.kind === 'text') {
    const message = `${accepted} is ${examined.reason}.`;
    return { error: 'ResponseNotJson', message, body: Buffer.from(JSON.stringify(examined.text)) };
  }
  if (examined?.kind === 'withheld') {
    const message = `${accepted} ${examined.reason}.`;
    return hasSchema
      ? schemaFailure(unchecked(examined.reason))
      : { error: 'RequestFailed', message };
  }
  if (examined === undefined || examined.violations.length === 0) return undefined;
  return { ...schemaFailure(examined.violations), body: examined.bytes };
}

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
  unknown_coding: ['RequestFailed', 'has a content-encoding other than gzip, deflate or br'],
};

/** A non-success status stays what it is, whatever its body. */
function failureOfStatus(
  { status, notFollowed }: ReceivedResponse,
  examined: Examined | undefined,
): Failure {
  const message =
    notFollowed === undefined
      ? `The upstream answered with status ${status}.`
      : `The upstream answered with a redirect (${status}) that was not followed: ${notFollowed}`;
  if (examined === undefined || examined.kind === 'withheld')
    return { error: 'HttpFailure', message };
  const body =
    examined.kind === 'json' ? examined.bytes : Buffer.from(JSON.stringify(examined.text));
  return { error: 'HttpFailure', message, body };
}
