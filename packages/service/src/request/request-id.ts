import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const REQUEST_ID_HEADER = 'x-request-id';

/** 1 to 128 visible ASCII characters (contract, section 1). */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** The caller's request id if acceptable, else a new one (contract, section 1). */
export function requestIdOf(
  { headers }: Pick<IncomingMessage, 'headers'>,
  newId: () => string = randomUUID,
): string {
  const offered = headers[REQUEST_ID_HEADER];
  return typeof offered === 'string' && ACCEPTABLE.test(offered) ? offered : newId();
}

/** 8 hexadecimal digits, and small integers to the runtime. */
const FIRST = 0x10000000;
const LAST = 0x7fffffff;

/** UUIDs that end in a counter, which costs less than a random one each time. */
export function countedIds(): () => string {
  let beginning = '';
  let next = LAST + 1;
  return () => {
    if (next > LAST) {
      beginning = randomUUID().slice(0, -8);
      next = FIRST;
    }
    return beginning + (next++).toString(16);
  };
}
