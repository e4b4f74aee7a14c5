import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { requestError } from './problem.ts';

const hash = (text = '') => createHash('sha256').update(text).digest();

/** Returns a hook that answers 401 to requests without the token. */
export function requireToken(token: string) {
  const wanted = hash(`Bearer ${token}`);
  return async ({ headers }: FastifyRequest) => {
    if (!timingSafeEqual(hash(headers.authorization), wanted))
      throw requestError(401, 'Send the token as `authorization: Bearer <token>`.');
  };
}

/** Hook that refuses all requests, because no token is set. */
export async function refuseApprovals(): Promise<void> {
  throw requestError(403, 'No one can approve steps until `GATEWAY_APPROVER_TOKEN` is set.');
}
