import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const REQUEST_ID_HEADER = 'x-request-id';

/** 1 to 128 visible ASCII characters (contract, section 1). */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** The caller's request id if acceptable, else a new one (contract, section 1). */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const offered = headers[REQUEST_ID_HEADER];
  return typeof offered === 'string' && ACCEPTABLE.test(offered) ? offered : randomUUID();
}
