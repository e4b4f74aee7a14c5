import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { ProblemError } from '../problems/problem.ts';
import { pathOf } from '../request/path.ts';
import { offersToken, type Tokens } from './tokens.ts';

/** Container checks and load balancers have no token (contract, section 1). */
const OPEN_PATHS: ReadonlySet<string> = new Set([SERVICE_PATHS.health, SERVICE_PATHS.ready]);

/** RFC 6750 section 3: `error` only for callers that sent a token. */
const CHALLENGE = 'Bearer realm="gatehouse"';
const CHALLENGE_INVALID = `${CHALLENGE}, error="invalid_token"`;
const UNKNOWN_TOKEN =
  'Send a token that this service takes; this one is unknown or no longer valid.';

export function authenticate(tokens: Tokens): onRequestHookHandler {
  return (request, reply, done) => done(unauthorized(tokens, request, reply));
}

/** The problem of a request without a token; sets the challenge on its reply. */
export function unauthorized(
  tokens: Tokens,
  request: FastifyRequest,
  reply: FastifyReply,
): ProblemError | undefined {
  const { authorization } = request.headers;
  if (tokens.accept(authorization) || OPEN_PATHS.has(pathOf(request.url))) return undefined;
  const offered = offersToken(authorization);
  reply.header('www-authenticate', offered ? CHALLENGE_INVALID : CHALLENGE);
  return new ProblemError('Unauthorized', offered ? UNKNOWN_TOKEN : undefined);
}
