import { STATUS_CODES } from 'node:http';
import { summarizeViolations, Violation } from '@gatehouse/contracts';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** RFC 9457 problem details. */
export const Problem = Type.Object(
  {
    type: Type.Literal('about:blank'),
    title: Type.String({ description: 'The name of the status.' }),
    status: Type.Integer(),
    detail: Type.String({ description: 'What to change.' }),
    request_id: Type.String({ description: 'The log has more under it.' }),
    errors: Type.Optional(Type.Array(Violation)),
  },
  { title: 'Problem', description: 'Nothing was run.' },
);

/** Thrown for a request that is answered with this status. */
export class ProblemError extends Error {
  readonly statusCode: number;
  readonly violations: readonly Violation[] | undefined;

  constructor(statusCode: number, detail: string, violations?: readonly Violation[]) {
    super(detail);
    this.statusCode = statusCode;
    this.violations = violations;
  }
}

export const invalid = (violations: readonly Violation[]) =>
  new ProblemError(400, summarizeViolations(violations), violations);

/** Every error becomes a problem; what is our fault is in the log alone. */
export function answerProblems(app: FastifyInstance): void {
  app.setNotFoundHandler((_request, reply) =>
    send(reply, 404, 'There is no such path; see /docs.'),
  );
  app.setErrorHandler((error: Partial<ProblemError>, request, reply) => {
    const { statusCode = 500, message = '', violations } = error;
    if (statusCode < 500) return send(reply, statusCode, message, violations);
    request.log.error({ err: error }, 'request failed');
    return send(reply, 500, 'The gateway failed; its log says why.');
  });
}

function send(
  reply: FastifyReply,
  status: number,
  detail: string,
  errors?: readonly Violation[],
): FastifyReply {
  const document: Static<typeof Problem> = {
    ...{ type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail },
    request_id: reply.request.id,
    ...(errors && { errors: [...errors] }),
  };
  return reply.code(status).type('application/problem+json').send(document);
}
