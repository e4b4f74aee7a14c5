import type { FailureName } from '@gatehouse/contracts';
import { shorten } from '@gatehouse/contracts/action';
import { type Answer, type Body, decodedJson } from '../decode.ts';
import type { Shape } from '../guard/shape.ts';
import { type Limited, limitBase64, limitBytes } from '../part/limit-bytes.ts';
import { partOf, wantedShape } from '../part/part.ts';
import type { AttemptsReport } from '../retry/report.ts';
import type { Turns } from '../turns.ts';
import { isSuccess } from '../wire.ts';
import { failureOf, SUMMARIES } from './failure.ts';

/** Result of an execution as JSON, with details for logs and metrics. */
export interface Outcome {
  readonly outcome: 'success' | 'failure';
  readonly error?: FailureName;
  readonly status?: number;
  readonly attempts: number;
  readonly redactions: number;
  /** Why there was no response, or why the credential could not be renewed after a 401. */
  readonly reason?: string | undefined;
  /** True if this is the outcome of an earlier execution with the same idempotency key. */
  readonly replayed?: true;
  /** An `ExecutionOutcome` (docs/contract.md, "Outcomes") as JSON in UTF-8. */
  readonly json: Buffer;
}

/**
 * Builds the outcome from the attempts and the redacted answer:
 * 1. a success;
 * 2. if a failure ended the execution, that failure;
 * 3. if every attempt timed out and no time is left, `Timeout` without `last_error`;
 * 4. otherwise `RetriesExhausted` or `Timeout`, with the failure as `last_error`.
 */
export async function toOutcome(
  report: AttemptsReport,
  answer: Answer,
  shape: Shape,
  turns: Turns,
): Promise<Outcome> {
  const failed = failureOf(report, answer, shape.responseType ?? 'json');
  const stats = statsOf(report, answer);
  const part = await shownPart(answer, wantedShape(shape, failed === undefined), turns);
  const body = part?.json;
  const omitted = part?.omitted ?? [];
  const response = {
    ...responseMembers(answer, shape),
    ...(omitted.length > 0 && { omitted }),
  };
  const { redactions, status } = answer;
  const facts = { attempts: report.attempts, redactions, ...(status !== undefined && { status }) };
  if (failed === undefined) {
    const json = writeJson({ outcome: 'success', ...response, ...stats }, body);
    return { outcome: 'success', ...facts, json };
  }

  const outcome = 'failure' as const;
  const { error, message } = failed;
  const reason = status === undefined ? message : report.note;
  const summary = summarize(report);
  if (summary === undefined) {
    const json = writeJson({ outcome, ...failed, ...response, ...stats }, body);
    return { outcome, error, ...facts, reason, json };
  }

  // Say that `message` is about the last attempt, because others may have failed differently.
  const [, lastMessage = message] = answer.messages;
  const whole = `${summary[1]} The last attempt failed: ${lastMessage}`;
  const members = { outcome, error: summary[0], message: whole, ...stats };
  const isSame = error === 'Timeout' && summary[0] === 'Timeout';
  const json = isSame ? writeJson(members) : writeJson(members, body, { ...failed, ...response });
  const { attempts } = report;
  return { outcome, error: summary[0], attempts, redactions, reason, json };
}

/** Returns the error and message of an execution that gave up, or undefined for all others. */
function summarize(report: AttemptsReport): readonly [FailureName, string] | undefined {
  const { reason, attempts } = report;
  if (reason === 'settled' || (reason === 'told_to_wait' && attempts === 1)) return undefined;
  return SUMMARIES[reason](report);
}

function statsOf({ attempts, history, retryAfterMs }: AttemptsReport, answer: Answer) {
  const { redirects, redactions } = answer;
  return {
    ...{ attempts, history },
    ...(redirects.length > 0 && { redirects }),
    ...(redactions > 0 && { redactions }),
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
  };
}

function responseMembers({ status, headers, body, links }: Answer, shape: Shape) {
  if (status === undefined) return {};
  const hasType =
    shape.responseType !== undefined && body.kind !== 'none' && body.kind !== 'withheld';
  return {
    ...{ status, headers },
    ...(hasType && { body_type: body.kind === 'excerpt' ? 'text' : body.kind }),
    ...(Object.keys(links).length > 0 && { links }),
  };
}

/** Maximum number of characters in an excerpt from the body of a non-2xx response. */
const FAILURE_CHARS = 2_000;
const SUCCESS_CHARS = 200;

/** Returns the part of the redacted body that is shown. Nothing is added to the result. */
async function shownPart(answer: Answer, shape: Shape, turns: Turns): Promise<Limited | undefined> {
  const { body } = answer;
  if (body.kind === 'json' && body.part !== undefined && body.part.fields === shape.fields)
    return body.part;

  using _turn = await turns.take(sizeOf(body));
  const whole = wholeBody(answer);
  if (whole === undefined) return undefined;

  if (body.kind === 'json') return partOf(whole, shape);
  if (body.kind === 'base64') return limitBase64(whole, shape.maxBytes);
  return limitBytes(whole, shape.maxBytes);
}

function sizeOf(body: Body): number {
  if (body.kind === 'json') return body.document.length;
  return 'bytes' in body ? body.bytes.length : 0;
}

function wholeBody({ status = 0, body }: Answer): Buffer | undefined {
  if (body.kind !== 'excerpt') return decodedJson(body);
  const text = shorten(body.text, isSuccess(status) ? SUCCESS_CHARS : FAILURE_CHARS);
  return Buffer.from(JSON.stringify(text));
}

/** Writes members as JSON. The body comes last, so that its bytes can be appended unchanged. */
function writeJson(members: object, body?: Buffer, lastError?: object): Buffer {
  const open = (value: object) => JSON.stringify(value).slice(0, -1);
  const nested = lastError === undefined ? '' : `,"last_error":${open(lastError)}`;
  const begin = open(members) + nested;
  const end = lastError === undefined ? '}' : '}}';
  if (body === undefined) return Buffer.from(begin + end);
  return Buffer.concat([Buffer.from(`${begin},"body":`), body, Buffer.from(end)]);
}
