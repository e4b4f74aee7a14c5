import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const REQUEST_ID_HEADER = 'x-request-id';

const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** Returns the caller's request id if it is valid, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const offered = headers[REQUEST_ID_HEADER];
  return typeof offered === 'string' && ACCEPTABLE.test(offered) ? offered : randomUUID();
}
