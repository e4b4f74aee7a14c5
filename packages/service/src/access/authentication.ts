import { POLICY_PATHS, SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isOpen, pathOf } from '../http/paths.ts';
import { ProblemReply } from '../problems/problem-reply.ts';
import type { Access } from './access.ts';
import { hasBearerToken } from './tokens.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Name of the caller's token, or else the common name of the client certificate. */
    caller: string | undefined;
  }
}

const { metrics } = SERVICE_PATHS;

/** A challenge contains `error` only if the caller sent a token (RFC 6750, section 3). */
const CHALLENGE = 'Bearer realm="gatehouse"';
const CHALLENGE_INVALID = `${CHALLENGE}, error="invalid_token"`;
const UNKNOWN_TOKEN = 'Send a valid token; this service does not accept the one in the request.';

/** True if the settings require a token for at least one path, or require client certificates. */
export const identifiesCallers = (access: Access): boolean =>
  access.certificateCaller !== undefined ||
  (access.tokens ?? access.metricsTokens ?? access.approverTokens) !== undefined;

/**
 * Sets `request.caller`, and returns a problem if the request is refused. The first match decides:
 * 1. At `/policy/approvals`, only an approver's token is accepted (`identifyApprover`).
 * 2. A request is accepted if it has a caller's token, or if `isOpen` is true for its path.
 * 3. A request with a metrics token is accepted at `/metrics` and gets a 403 elsewhere.
 * 4. A request with an approver's token gets a 403, unless only its method is wrong (405).
 * 5. A request is accepted if the settings require no token for its path.
 * 6. Any other request gets a 401 with a challenge.
 */
export function identifyCaller(
  access: Access,
  request: FastifyRequest,
  reply: FastifyReply,
): ProblemReply | undefined {
  // Compare the route rather than the path, because a path can be written in several ways.
  const { url: route } = request.routeOptions;
  if (route === POLICY_PATHS.approvals) return identifyApprover(access, request, reply);

  const { tokens, metricsTokens, approverTokens, certificateCaller } = access;
  const { authorization } = request.headers;
  const token = tokens?.accept(authorization);
  request.caller = token?.caller ?? certificateCaller?.(request.raw.socket);
  const path = pathOf(request.url);
  if (token !== undefined || isOpen(path)) return undefined;

  const isMetrics = route === metrics;
  const scraper = metricsTokens?.accept(authorization);
  if (scraper !== undefined) {
    request.caller = scraper.caller ?? request.caller;
    return isMetrics ? undefined : new ProblemReply('TokenNotAllowed');
  }

  if (approverTokens?.accept(authorization))
    return path === POLICY_PATHS.approvals ? undefined : new ProblemReply('TokenNotAllowed');

  if (tokens === undefined && !(isMetrics && metricsTokens !== undefined)) return undefined;

  return challenge(request, reply);
}

/** Accepts an approver's token. Any other valid token gets a 403, and all others get a 401. */
function identifyApprover(
  { tokens, metricsTokens, approverTokens }: Access,
  request: FastifyRequest,
  reply: FastifyReply,
): ProblemReply | undefined {
  const { authorization } = request.headers;
  const approver = approverTokens?.accept(authorization);
  request.caller = approver?.caller;
  if (approver !== undefined) return undefined;

  const isKnown = tokens?.accept(authorization) ?? metricsTokens?.accept(authorization);
  return isKnown ? new ProblemReply('ApproverRequired') : challenge(request, reply);
}

function challenge({ headers }: FastifyRequest, reply: FastifyReply): ProblemReply {
  const offered = hasBearerToken(headers.authorization);
  reply.header('www-authenticate', offered ? CHALLENGE_INVALID : CHALLENGE);
  return new ProblemReply('Unauthorized', offered ? UNKNOWN_TOKEN : undefined);
}
