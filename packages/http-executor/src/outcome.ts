import type {
  ExecutionOutcome,
  FailureName,
  ResponseHeaders,
  SchemaViolation,
  UpstreamError,
} from '@gatehouse/contracts';
import type { AttemptResult, ReceivedResponse } from './attempt.ts';
import type { AttemptsReport } from './attempts.ts';
import type { BodyFault } from './content-coding.ts';
import { decodeBody } from './decode.ts';
import type { Redactor } from './redact.ts';
import type { JsonBody } from './schema/response-schemas.ts';

/** How much of a body that is not JSON is shown: of an error page, and of what should have been JSON. */
const TEXT_CHARS = 2_000;
const EXCERPT_CHARS = 200;

/** What came of a result before redaction. A `text` is shortened after it, so that no credential is cut in half. */
export type Conclusion = Success | Failure;

export interface Success {
  readonly outcome: 'success';
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: JsonBody;
}

export interface Failure {
  readonly outcome: 'failure';
  readonly error: FailureName;
  readonly message: string;
  readonly status?: number;
  readonly headers?: ResponseHeaders;
  readonly body?: unknown;
  readonly text?: BodyText;
  readonly violations?: readonly SchemaViolation[];
}

export interface BodyText {
  readonly content: string;
  readonly maxChars: number;
  /** Whether reading stopped before its end. */
  readonly cut: boolean;
}

/** What a result comes to, before its body is held against a schema. */
export function conclude(result: AttemptResult): Conclusion {
  if ('fault' in result) {
    const { error, message } = result.fault;
    return { outcome: 'failure', error, message };
  }
  const { status } = result.response;
  return status >= 200 && status <= 299 ? concludeSuccess(result.response) : concludeStatus(result.response);
}

/** What a success comes to when its body was held against the schema. */
export function judge(success: Success, violations: readonly SchemaViolation[]): Conclusion {
  if (violations.length === 0) return success;
  const { status, headers, body } = success;
  const message = violations.map((violation) => violation.message).join('; ');
  return { outcome: 'failure', error: 'SchemaValidationFailed', message, status, headers, body: body.json, violations };
}

/** The last stage: the outcome that the caller sees (contract, section 3). */
export function reportOutcome(
  { attempts, history, ended }: AttemptsReport,
  conclusion: Conclusion,
  redactor: Redactor,
): ExecutionOutcome {
  const counts = { attempts, history: [...history] };
  if (conclusion.outcome === 'success') {
    const { status } = conclusion;
    const headers = redactor.headers(conclusion.headers);
    const body = redactor.value(conclusion.body.json);
    return counted({ outcome: 'success', status, headers, body, ...counts }, redactor);
  }
  const last = redactFailure(conclusion, redactor);
  const timedOut = ended === 'out_of_time' && last.error === 'Timeout';
  if (ended === 'settled' || (timedOut && attempts === 1)) {
    return counted({ outcome: 'failure', ...last, ...counts }, redactor);
  }
  const [error, why] = ENDINGS[ended](attempts);
  // What is said of the last attempt, such as that nothing was sent, need not hold for those before.
  const message = `${why} The last: ${last.message}`;
  if (timedOut) return counted({ outcome: 'failure', ...last, message, ...counts }, redactor);
  return counted({ outcome: 'failure', error, message, ...counts, last_error: last }, redactor);
}

const ENDINGS = {
  exhausted: (attempts: number) => ['RetriesExhausted', `All ${attempts} attempts failed.`] as const,
  draining: (attempts: number) =>
    ['RetriesExhausted', `The executor is shutting down and makes no attempt ${attempts + 1}.`] as const,
  out_of_time: (attempts: number) => ['Timeout', `The total time leaves no room for attempt ${attempts + 1}.`] as const,
};

function counted<T extends object>(outcome: T, redactor: Redactor): T & { redactions?: number } {
  const redactions = redactor.count();
  return redactions > 0 ? { ...outcome, redactions } : outcome;
}

function concludeSuccess({ status, headers, body }: ReceivedResponse): Conclusion {
  if (body.fault !== undefined) {
    const [error, message] = BODY_FAULTS[body.fault];
    return { outcome: 'failure', error, message, status, headers };
  }
  const decoded = decodeBody(body.bytes);
  if ('json' in decoded) return { outcome: 'success', status, headers, body: decoded };
  const message = `The body of the ${status} response is ${decoded.why}.`;
  const text = { content: decoded.text, maxChars: EXCERPT_CHARS, cut: false };
  return { outcome: 'failure', error: 'ResponseNotJson', message, status, headers, text };
}

const BODY_FAULTS: Readonly<Record<BodyFault, readonly [FailureName, string]>> = {
  too_large: [
    'ResponseTooLarge',
    'The response is larger than this executor takes; ask for less, for example page by page.',
  ],
  undecodable: ['RequestFailed', 'The response could not be decompressed as its content-encoding says.'],
  unknown_coding: ['RequestFailed', 'The response has a content-encoding other than gzip, deflate or br.'],
};

/** A non-success status stays what it is, whatever its body. */
function concludeStatus({ status, headers, body, notFollowed }: ReceivedResponse): Failure {
  const decoded = decodeBody(body.bytes);
  const message =
    notFollowed === undefined
      ? `The upstream answered with status ${status}.`
      : `The upstream answered with a redirect (${status}) that was not followed: ${notFollowed}`;
  const cut = body.fault !== undefined && body.bytes.length > 0;
  const shown =
    'json' in decoded && !cut ? { body: decoded.json } : { text: { content: decoded.text, maxChars: TEXT_CHARS, cut } };
  return { outcome: 'failure', error: 'HttpFailure', message, status, headers, ...shown };
}

function redactFailure({ outcome: _, text, ...failure }: Failure, redactor: Redactor): UpstreamError {
  const { error, status, headers, violations } = failure;
  const redacted: UpstreamError = { error, message: redactor.text(failure.message) };
  if (status !== undefined) redacted.status = status;
  if (headers !== undefined) redacted.headers = redactor.headers(headers);
  if ('body' in failure) redacted.body = redactor.value(failure.body);
  if (text !== undefined) {
    const scrubbed = text.cut ? redactor.cutText(text.content) : redactor.text(text.content);
    redacted.body = shorten(scrubbed, text.maxChars);
  }
  if (violations !== undefined) {
    redacted.violations = violations.map(({ path, message }) => ({
      path: redactor.text(path),
      message: redactor.text(message),
    }));
  }
  return redacted;
}

function shorten(text: string, maxChars: number): string {
  return (text.length > maxChars ? `${text.slice(0, maxChars)}…` : text).toWellFormed();
}
