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

/** Checks the JSON text of a body; resolves with the violations. */
export type BodyCheck = (body: string) => Promise<readonly SchemaViolation[]>;

/** How much of a body that is not JSON is shown: of an error page, and of what should have been JSON. */
const TEXT_CHARS = 2_000;
const EXCERPT_CHARS = 200;

/** What came of a result before redaction. A `text` is shortened after it, so that no credential is cut in half. */
type Conclusion = Success | Failure;

interface Success {
  readonly outcome: 'success';
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: unknown;
}

interface Failure {
  readonly outcome: 'failure';
  readonly error: FailureName;
  readonly message: string;
  readonly status?: number;
  readonly headers?: ResponseHeaders;
  readonly body?: unknown;
  readonly text?: BodyText;
  readonly violations?: readonly SchemaViolation[];
}

interface BodyText {
  readonly content: string;
  readonly maxChars: number;
  /** Whether reading stopped before its end. */
  readonly cut: boolean;
}

/** The last stages: the report of the attempts becomes the outcome that the caller sees (contract, section 3). */
export async function concludeReport(
  report: AttemptsReport,
  check: BodyCheck | undefined,
  redactor: Redactor,
): Promise<ExecutionOutcome> {
  const conclusion = await conclude(report.result, check);
  const { attempts } = report;
  const history = [...report.history];
  const counted = <T extends object>(outcome: T) =>
    redactor.count() > 0 ? { ...outcome, redactions: redactor.count() } : outcome;

  if (conclusion.outcome === 'success') {
    const { status } = conclusion;
    const headers = redactor.headers(conclusion.headers);
    return counted({ outcome: 'success', status, headers, body: redactor.value(conclusion.body), attempts, history });
  }
  const last = redactFailure(conclusion, redactor);
  if (report.ended === 'settled' || (report.ended === 'out_of_time' && last.error === 'Timeout')) {
    return counted({ outcome: 'failure', ...last, attempts, history });
  }
  const [error, message] =
    report.ended === 'exhausted'
      ? (['RetriesExhausted', `All ${attempts} attempts failed. The last: ${last.message}`] as const)
      : (['Timeout', `The total time leaves no room for attempt ${attempts + 1}. The last: ${last.message}`] as const);
  return counted({ outcome: 'failure', error, message, attempts, history, last_error: last });
}

async function conclude(result: AttemptResult, check: BodyCheck | undefined): Promise<Conclusion> {
  if ('fault' in result) {
    const { error, message } = result.fault;
    return { outcome: 'failure', error, message };
  }
  const { status } = result.response;
  return status >= 200 && status <= 299 ? concludeSuccess(result.response, check) : concludeStatus(result.response);
}

async function concludeSuccess(response: ReceivedResponse, check: BodyCheck | undefined): Promise<Conclusion> {
  const { status, headers, body } = response;
  const fail = (error: FailureName, message: string, rest: Partial<Failure> = {}): Failure => ({
    outcome: 'failure',
    error,
    message,
    status,
    headers,
    ...rest,
  });
  if (body.fault !== undefined) return fail(...BODY_FAULTS[body.fault]);
  const decoded = decodeBody(body.bytes);
  if ('why' in decoded) {
    const text = { content: decoded.text, maxChars: EXCERPT_CHARS, cut: false };
    return fail('ResponseNotJson', `The body of the ${status} response is ${decoded.why}.`, { text });
  }
  const violations = (await check?.(decoded.text)) ?? [];
  if (violations.length > 0) {
    const message = violations.map((violation) => violation.message).join('; ');
    return fail('SchemaValidationFailed', message, { violations, body: decoded.json });
  }
  return { outcome: 'success', status, headers, body: decoded.json };
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
