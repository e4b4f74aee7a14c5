import { STATUS_CODES } from 'node:http';
import { Problem, type Violation } from '@gatehouse/contracts';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Problem document (RFC 9457). A problem means that the gateway ran no step of the plan. */
export const GatewayProblem = Type.Omit(Problem, ['code'], { title: 'Problem' });

export const requestError = (status: number, detail: string, violations?: readonly Violation[]) =>
  Object.assign(new Error(detail), { statusCode: status, violations });

type RequestError = ReturnType<typeof requestError>;

/** Makes the app send errors as problem documents. Logs 5xx errors, but hides their messages. */
export function answerProblems(app: FastifyInstance): void {
  app.setNotFoundHandler(() => {
    throw requestError(404, 'There is no such path; see /docs.');
  });
  app.setErrorHandler(sendProblem);
}

/** Sends an error, even one caused by a malformed URL, as a problem document. */
export function sendProblem(
  error: Partial<RequestError>,
  { id: request_id, log }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { statusCode: status = 500, message = '', violations } = error;
  if (status >= 500) log.error({ err: error }, 'request failed');
  const detail = status < 500 ? message : 'The gateway failed; its log says why.';
  const document = {
    ...{ type: 'about:blank', title: STATUS_CODES[status], status, detail, request_id },
    ...(violations && { errors: violations }),
  };
  reply.code(status).header('x-request-id', request_id);
  return reply.type('application/problem+json').send(document);
}
