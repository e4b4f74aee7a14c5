import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { SERVICE_PATHS } from '@gatehouse/contracts';

/** Returns a request target without its query, which may hold secrets. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

const { health, ready, metrics } = SERVICE_PATHS;
const PROBES: ReadonlySet<string> = new Set([health, ready, metrics]);

/** True for paths that monitoring systems request every few seconds. */
export function isProbe(url: string): boolean {
  return PROBES.has(pathOf(url));
}

export const REQUEST_ID_HEADER = 'x-request-id';

const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const offered = headers[REQUEST_ID_HEADER];
  return typeof offered === 'string' && ACCEPTABLE.test(offered) ? offered : randomUUID();
}

/** True if the client waits for `100 Continue` before it sends its body. */
export function expectsContinue({ expect }: IncomingHttpHeaders): boolean {
  return expect !== undefined && /^100-continue$/i.test(expect);
}
