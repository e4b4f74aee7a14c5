import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { ProblemReply } from '../problems/problem-reply.ts';
import { pathOf } from '../request/path.ts';
import { offersToken, type Tokens } from './tokens.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the token that the request came with. */
    caller: string | undefined;
  }
}

const { health, ready, docs, openapi, problems } = SERVICE_PATHS;

/** Container checks have no token, nor have browsers (contract, section 1). */
const OPEN_PATHS: ReadonlySet<string> = new Set([health, ready, docs, openapi, problems]);
const OPEN_FOLDERS = [`${docs}/`, `${problems}/`];

/** RFC 6750 section 3: `error` only for callers that sent a token. */
const CHALLENGE = 'Bearer realm="gatehouse"';
const CHALLENGE_INVALID = `${CHALLENGE}, error="invalid_token"`;
const UNKNOWN_TOKEN =
  'Send a token that this service takes; this one is unknown or no longer valid.';

export function authenticate(tokens: Tokens): onRequestHookHandler {
  return (request, reply, done) => done(unauthorized(tokens, request, reply));
}

/** Names the caller of a request, or gives its problem and sets the challenge on its reply. */
export function unauthorized(
  tokens: Tokens,
  request: FastifyRequest,
  reply: FastifyReply,
): ProblemReply | undefined {
  const { authorization } = request.headers;
  const token = tokens.accept(authorization);
  request.caller = token?.caller;
  if (token !== undefined || isOpen(pathOf(request.url))) return undefined;
  const offered = offersToken(authorization);
  reply.header('www-authenticate', offered ? CHALLENGE_INVALID : CHALLENGE);
  return new ProblemReply('Unauthorized', offered ? UNKNOWN_TOKEN : undefined);
}

/** Whether a path takes requests without a token, where tokens are set. */
export function isOpen(path: string): boolean {
  return OPEN_PATHS.has(path) || OPEN_FOLDERS.some((folder) => path.startsWith(folder));
}
