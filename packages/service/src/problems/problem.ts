import {
  correction,
  MAX_VIOLATIONS,
  PROBLEM_MEDIA_TYPE,
  PROBLEMS,
  type Problem,
  type ProblemCode,
  problemType,
  type Violation,
} from '@gatehouse/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addLogFields } from '../log/log-fields.ts';
import { REQUEST_ID_HEADER } from '../request/request-id.ts';

/**
 * Thrown to answer a request with a problem; `detail` is one sentence that says what to
 * change.
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: ProblemCode;
  readonly violations: readonly Violation[] | undefined;

  constructor(problem: ProblemCode, detail: string, violations?: readonly Violation[]) {
    super(detail);
    this.problem = problem;
    this.violations = violations;
  }
}

/** A problem with violations; its detail says what to correct first. */
export function invalid(code: ProblemCode, violations: readonly Violation[]): ProblemError {
  return new ProblemError(code, correction(violations), violations);
}

export function payloadTooLarge(maxRequestBytes: number): ProblemError {
  return new ProblemError('PayloadTooLarge', `Send a body of at most ${maxRequestBytes} bytes.`);
}

export function brokenOff(): ProblemError {
  return new ProblemError('MalformedRequest', 'Send the whole body, and wait for the answer.');
}

/** Fastify's own refusals, by its error code. */
const FRAMEWORK_PROBLEMS: ReadonlyMap<string, readonly [ProblemCode, string]> = new Map([
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    ['UnsupportedMediaType', 'Send the body as `content-type: application/json`.'],
  ],
  [
    'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
    ['MalformedRequest', 'Send as many body bytes as `content-length` says.'],
  ],
  ['FST_ERR_BAD_URL', ['MalformedUrl', 'Encode the path of the URL correctly.']],
]);

/**
 * Foreign errors enter here: whatever is thrown while a request is handled becomes one of
 * our problems.
 */
export function toProblemError(error: unknown, maxRequestBytes: number): ProblemError {
  if (error instanceof ProblemError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return payloadTooLarge(maxRequestBytes);
  const known = FRAMEWORK_PROBLEMS.get(code);
  if (known !== undefined) return new ProblemError(...known);
  return new ProblemError(
    'InternalError',
    'Report this with its `request_id`; the log of the service has the cause.',
  );
}

/** The RFC 9457 document for an error (contract, section 1). */
export function problemDocument(
  { problem, message, violations }: ProblemError,
  requestId: string,
): Problem {
  const { title, status } = PROBLEMS[problem];
  const document = {
    type: problemType(problem),
    title,
    status,
    detail: message,
    code: problem,
    request_id: requestId,
  };
  return violations === undefined
    ? document
    : { ...document, errors: violations.slice(0, MAX_VIOLATIONS) };
}

/** Statuses of problems that pass by themselves. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 503]);
const RETRY_AFTER_S = 1;

/** Answers with a problem; used where Fastify's error handler is not in charge, too. */
export function sendProblem(
  error: ProblemError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const document = problemDocument(error, request.id);
  addLogFields(request, 'request', { code: document.code });
  if (TEMPORARY.has(document.status)) reply.header('retry-after', RETRY_AFTER_S);
  return reply
    .code(document.status)
    .header(REQUEST_ID_HEADER, request.id)
    .type(PROBLEM_MEDIA_TYPE)
    .serializer(JSON.stringify)
    .send(document);
}
