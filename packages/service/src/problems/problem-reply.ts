import {
  exampleOf,
  MAX_VIOLATION_CHARS,
  PROBLEM_MEDIA_TYPE,
  type Problem,
  type ProblemCode,
  problemDocument,
  summarizeViolations,
  type Violation,
} from '@gatehouse/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addLogFields, requestLogger } from '../log/logger.ts';
import { REQUEST_ID_HEADER } from '../request/request-head.ts';

export class ProblemReply extends Error {
  override readonly name = 'ProblemReply';
  readonly code: ProblemCode;
  readonly violations: readonly Violation[] | undefined;
  /** Seconds for the `retry-after` header, which is sent only if the problem is temporary. */
  readonly retryAfterS: number;

  /** `detail` is one sentence that says what to change. */
  constructor(
    code: ProblemCode,
    detail?: string,
    violations?: readonly Violation[],
    retryAfterS = 1,
  ) {
    super(detail ?? exampleOf(code).detail);
    this.code = code;
    this.violations = violations;
    this.retryAfterS = retryAfterS;
  }
}

/** Shortens a pointer, so that a long member name in many pointers cannot bloat the reply. */
export const shorten = (pointer: string) => pointer.slice(0, MAX_VIOLATION_CHARS).toWellFormed();

/** Returns an RFC 9457 problem that lists `violations` and summarizes them in its `detail`. */
export function invalidReply(code: ProblemCode, violations: readonly Violation[]): ProblemReply {
  const shown = violations.map(({ pointer, message }) => ({ pointer: shorten(pointer), message }));
  return new ProblemReply(code, summarizeViolations(shown), shown);
}

export function payloadTooLarge(maxRequestBytes: number): ProblemReply {
  return new ProblemReply('PayloadTooLarge', `Send a body of at most ${maxRequestBytes} bytes.`);
}

const SEND_LENGTH = 'Send a body whose length matches `content-length`.';

/** Turns any error, including errors from Fastify and other libraries, into a problem. */
function toProblemReply(error: unknown, maxRequestBytes: number): ProblemReply {
  if (error instanceof ProblemReply) return error;
  switch (error instanceof Error && 'code' in error && error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return payloadTooLarge(maxRequestBytes);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ProblemReply('UnsupportedMediaType');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ProblemReply('MalformedRequest', SEND_LENGTH);
    case 'FST_ERR_BAD_URL':
      return new ProblemReply('MalformedUrl');
    default:
      return new ProblemReply('InternalError');
  }
}

/** True if a status means a temporary problem, so that the response has a `retry-after` header. */
export const isTemporary = (status: number): boolean => status === 429 || status === 503;

export const documentOf = (
  { code, message: detail, violations }: ProblemReply,
  requestId: string,
): Problem => problemDocument(code, { detail, requestId, violations });

function sendProblem(problem: ProblemReply, request: FastifyRequest, reply: FastifyReply) {
  const document = documentOf(problem, request.id);
  addLogFields(request, 'request', { code: problem.code });
  request.span?.set({ code: problem.code });
  if (isTemporary(document.status)) reply.header('retry-after', problem.retryAfterS);
  return reply
    .code(document.status)
    .header(REQUEST_ID_HEADER, request.id)
    .type(PROBLEM_MEDIA_TYPE)
    .serializer(JSON.stringify)
    .send(document);
}

const SEND_ALL = 'Send the whole body and wait for the response.';

export function errorHandler(countProblem: (code: ProblemCode) => void) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { complete, errored, socket } = request.raw;
    // A caller that disconnects while sending its body causes a 400, not an internal error.
    if (error === errored || (socket.destroyed && !complete))
      return sendProblem(new ProblemReply('MalformedRequest', SEND_ALL), request, reply);
    const known = toProblemReply(error, request.routeOptions.bodyLimit);
    if (!socket.destroyed) countProblem(known.code);
    if (known.code === 'InternalError')
      requestLogger(request).error({ err: error }, 'request failed');
    return sendProblem(known, request, reply);
  };
}

const EXAMPLE_ID = '3f1c8b52-7a0e-4d6b-9a55-2e8f0c6d1b47';

/** Returns an example of a problem document, for the API docs and for replies to malformed HTTP. */
export const exampleProblem = (code: ProblemCode, requestId = EXAMPLE_ID) =>
  problemDocument(code, { ...exampleOf(code), requestId });
