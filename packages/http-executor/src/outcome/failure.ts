import type { FailureName, ResponseType } from '@gatehouse/contracts';
import type { ReceivedResponse } from '../attempt/result.ts';
import type { Answer, Body } from '../decode.ts';
import { RETRY_POLICY } from '../retry/decide.ts';
import type { AttemptsReport } from '../retry/report.ts';
import { type BodyFault, isSuccess } from '../wire.ts';

interface Failure {
  readonly error: FailureName;
  readonly message: string;
  readonly violations?: readonly { readonly path: string; readonly message: string }[];
}

/**
 * Returns undefined for a success, otherwise the first failure that applies:
 * 1. no response, for example because the connection failed;
 * 2. a status other than 2xx, whatever the body;
 * 3. a body that is unreadable, of the wrong type, withheld or invalid.
 */
export function failureOf(
  report: AttemptsReport,
  answer: Answer,
  type: ResponseType,
): Failure | undefined {
  const { outcome } = report.result;
  const [message = ''] = answer.messages;
  if ('fault' in outcome) return { error: outcome.fault.error, message };
  if (isSuccess(outcome.response.status)) return bodyFailure(outcome.response, answer, type);
  return statusFailure(report, outcome.response, { ...answer, notFollowed: message }, type);
}

function bodyFailure(
  { status, body: { fault, bytes } }: ReceivedResponse,
  { body, violations }: Answer,
  type: ResponseType,
): Failure | undefined {
  const accepted = `The upstream accepted the request with status ${status}, but the response body`;
  if (fault === 'too_large')
    return { error: 'ResponseTooLarge', message: `${accepted} ${largerThan(bytes.length)}.` };

  if (fault !== undefined) {
    const [error, what] = BODY_FAULTS[fault];
    return { error, message: `${accepted} ${what}.` };
  }

  if (body.kind === 'excerpt') {
    const isJson = type === 'json';
    const [instead, gain] = isJson
      ? ['auto', 'accept text and bytes']
      : ['base64', 'get the bytes'];
    const message = `${accepted} is ${body.reason}; if it is safe to send the request again, set \`response_type\` to \`${instead}\` to ${gain}.`;
    return { error: isJson ? 'ResponseNotJson' : 'RequestFailed', message };
  }

  if (body.kind === 'withheld')
    return { error: 'RequestFailed', message: `${accepted} ${body.reason}.` };

  if (violations.length === 0) return undefined;

  const joined = violations.map(({ message }) => message).join('; ');
  // Rename `pointer` to `path`, the name that the specification uses in outcomes.
  const renamed = violations.map(({ pointer: path, message }) => ({ path, message }));
  return { error: 'SchemaValidationFailed', message: joined, violations: renamed };
}

const MIB = 1024 * 1024;

/** Reading stopped at the size limit, so the limit is the number of bytes that were read. */
function largerThan(limit: number): string {
  const size = limit % MIB === 0 ? `${limit / MIB} MiB` : `${limit} bytes`;
  return `is larger than ${size}, the limit of this executor; ask for less, such as one page or fewer fields or, if the body is one file such as a PDF, have an operator raise the limit`;
}

type OtherFault = Exclude<BodyFault, 'too_large'>;

const BODY_FAULTS: Readonly<Record<OtherFault, readonly [FailureName, string]>> = {
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
  report: AttemptsReport,
  { status }: ReceivedResponse,
  { body, notFollowed }: { readonly body: Body; readonly notFollowed: string },
  type: ResponseType,
): Failure {
  const sentences = [
    notFollowed === ''
      ? `The upstream answered with status ${status}.`
      : `The upstream answered with a redirect (${status}) that was not followed: ${notFollowed}`,
  ];
  if (report.maybeDone && status < 500)
    sentences.push(
      'An earlier attempt may have been carried out, and this answer may be its consequence.',
    );
  if (report.reason === 'told_to_wait' && report.attempts === 1) sentences.push(waitAdvice(report));
  if (body.kind === 'withheld') sentences.push(`The response body ${body.reason}.`);
  if (body.kind === 'excerpt' && type !== 'json')
    sentences.push(`The response body is ${body.reason}.`);
  return { error: 'HttpFailure', message: sentences.join(' ') };
}

function waitAdvice({ retryAfterMs = 0 }: AttemptsReport): string {
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const most = RETRY_POLICY.maxDelayMs / 1_000;
  return `It asked to wait ${seconds} s, which is longer than the ${most} s that this executor waits between attempts; send the action again after that time.`;
}

type Summary = (report: AttemptsReport) => readonly [FailureName, string];

/** How an execution ended, for all reasons but `settled`. */
export const SUMMARIES = {
  exhausted: ({ attempts }) => ['RetriesExhausted', `All ${attempts} attempts failed.`],
  told_to_wait: (report) => ['RetriesExhausted', waitAdvice(report).replace(/^It/, 'The upstream')],
  draining: ({ attempts }) => [
    'RetriesExhausted',
    `The executor is shutting down, so attempt ${attempts + 1} was not started.`,
  ],
  out_of_time: () => ['Timeout', 'There was no time left for another attempt.'],
} satisfies Record<Exclude<AttemptsReport['reason'], 'settled'>, Summary>;
