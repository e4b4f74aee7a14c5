import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '../problems/problem.ts';
import { pathOf } from '../server/paths.ts';
import { offersToken, type Tokens } from './tokens.ts';

/**
 * Asked by what has no token: container checks and load balancers (contract, section 1).
 */
const OPEN_PATHS: ReadonlySet<string> = new Set([SERVICE_PATHS.health, SERVICE_PATHS.ready]);

/** RFC 6750 section 3: the error is named only to who sent a token. */
const CHALLENGE = 'Bearer realm="gatehouse"';
const CHALLENGE_INVALID = `${CHALLENGE}, error="invalid_token"`;

/**
 * Serves nobody without one of the tokens. Call before the hook that judges paths: nobody
 * else learns those.
 */
export function authenticate(app: FastifyInstance, tokens: Tokens): void {
  app.addHook('onRequest', (request, reply, done) => done(refusal(tokens, request, reply)));
}

/**
 * Undefined when the request may go on, else the problem; its challenge is set on the
 * reply.
 */
export function refusal(
  tokens: Tokens,
  request: FastifyRequest,
  reply: FastifyReply,
): ProblemError | undefined {
  const { authorization } = request.headers;
  if (tokens.accept(authorization) || OPEN_PATHS.has(pathOf(request.url))) return undefined;
  if (offersToken(authorization)) {
    reply.header('www-authenticate', CHALLENGE_INVALID);
    return new ProblemError(
      'Unauthorized',
      'Send a token that this service takes; this one is unknown or no longer valid.',
    );
  }
  reply.header('www-authenticate', CHALLENGE);
  return new ProblemError('Unauthorized');
}
