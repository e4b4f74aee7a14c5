import { PROBLEM_MEDIA_TYPE, type ProblemCode } from '@gatehouse/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { REQUEST_ID_HEADER } from '../http/request-head.ts';
import { addLogFields, requestLogger } from '../observe/logger.ts';
import { openSpan } from '../observe/trace-requests.ts';
import {
  documentOf,
  isTemporary,
  ProblemReply,
  payloadTooLarge,
} from '../problems/problem-reply.ts';

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
    // A method that HTTP does not have, such as DESCRIBE of RTSP. Fastify ran no hooks for it.
    case 'FST_ERR_NOT_FOUND':
      return new ProblemReply('MalformedRequest');
    case 'FST_ERR_BAD_URL':
      return new ProblemReply('MalformedUrl');
    default:
      return new ProblemReply('InternalError');
  }
}

function sendProblem(problem: ProblemReply, request: FastifyRequest, reply: FastifyReply) {
  const document = documentOf(problem, request.id);
  addLogFields(request, 'request', { code: problem.code });
  openSpan(request)?.setAttribute('code', problem.code);
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
