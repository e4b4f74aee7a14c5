import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { ProblemReply } from '../problems/problem-reply.ts';
import { pathOf } from '../request/path.ts';
import { hasBearerToken, type Tokens } from './tokens.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Name of the token that the request carries. */
    caller: string | undefined;
  }
}

const { health, ready, docs, openapi, problems } = SERVICE_PATHS;

/** Container checks and browsers have no token (docs/contract.md, "Authentication"). */
const OPEN_PATHS: ReadonlySet<string> = new Set([health, ready, docs, openapi, problems]);
const OPEN_FOLDERS = [`${docs}/`, `${problems}/`];

/** RFC 6750 section 3: `error` appears only if the caller sent a token. */
const CHALLENGE = 'Bearer realm="gatehouse"';
const CHALLENGE_INVALID = `${CHALLENGE}, error="invalid_token"`;
const UNKNOWN_TOKEN =
  'Send a token that this service accepts; this one is unknown or no longer valid.';

export function authenticate(tokens: Tokens): onRequestHookHandler {
  return (request, reply, done) => done(unauthorized(tokens, request, reply));
}

/** Sets `request.caller`; without a valid token, sets the challenge and returns the problem. */
export function unauthorized(
  tokens: Tokens,
  request: FastifyRequest,
  reply: FastifyReply,
): ProblemReply | undefined {
  const { authorization } = request.headers;
  const token = tokens.accept(authorization);
  request.caller = token?.caller;
  if (token !== undefined || isOpen(pathOf(request.url))) return undefined;
  const offered = hasBearerToken(authorization);
  reply.header('www-authenticate', offered ? CHALLENGE_INVALID : CHALLENGE);
  return new ProblemReply('Unauthorized', offered ? UNKNOWN_TOKEN : undefined);
}

/** True if a path needs no token even when tokens are set. */
export function isOpen(path: string): boolean {
  return OPEN_PATHS.has(path) || OPEN_FOLDERS.some((folder) => path.startsWith(folder));
}
