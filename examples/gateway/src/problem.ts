import { STATUS_CODES } from 'node:http';
import { Problem, type Violation } from '@gatehouse/contracts';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';

/** RFC 9457 problem details; nothing was run. */
export const GatewayProblem = Type.Omit(Problem, ['code'], { title: 'Problem' });

/** Thrown for a request that is answered with this status. */
export const requestError = (status: number, detail: string, violations?: readonly Violation[]) =>
  Object.assign(new Error(detail), { statusCode: status, violations });

type RequestError = ReturnType<typeof requestError>;

/** Every error becomes a problem; what is our fault is in the log alone. */
export function answerProblems(app: FastifyInstance): void {
  app.setNotFoundHandler(() => {
    throw requestError(404, 'There is no such path; see /docs.');
  });
  app.setErrorHandler((error: Partial<RequestError>, { id: request_id, log }, reply) => {
    const { statusCode: status = 500, message = '', violations } = error;
    if (status >= 500) log.error({ err: error }, 'request failed');
    const detail = status < 500 ? message : 'The gateway failed; its log says why.';
    const document = {
      ...{ type: 'about:blank', title: STATUS_CODES[status], status, detail, request_id },
      ...(violations && { errors: violations }),
    };
    return reply.code(status).type('application/problem+json').send(document);
  });
}
