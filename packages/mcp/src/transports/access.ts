import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node';
import { localhostAllowedHostnames } from '@modelcontextprotocol/server';

/** Where to listen, and for whom. */
export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** Names by which clients reach it, besides those of loopback. */
  readonly names: readonly string[];
  /** Asked as `Authorization: Bearer`. */
  readonly token: string | undefined;
}

/** Visible ASCII. */
export const TOKEN = /^[\x21-\x7e]+$/;

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** False: the request was refused, and answered. */
export type Guard = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A name or an address, and a port; with more, such as `a@`, it is another URL's part. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * In this order: 1. path; 2. `Host` and `Origin`, since a page in the user's browser may
 * lead its own name to loopback; 3. token.
 */
export function accessGuard(path: string, { host, names, token }: HttpOptions): Guard {
  const known = [...localhostAllowedHostnames(), inUrl(host), ...names];
  const guards = [hostHeaderValidation(known), originValidation(known)];
  const hasToken = token === undefined ? () => true : tokenCheck(token);
  return (request, response) => {
    if (request.url?.split('?')[0] !== path) return refuse(response, 404, `Use ${path}.`);
    if (!HOST.test(request.headers.host ?? ''))
      return refuse(response, 400, 'Send `Host` as a name or an address, with its port if any.');
    if (!guards.every((guard) => guard(request, response))) return false;
    if (hasToken(request.headers.authorization)) return true;
    response.setHeader('www-authenticate', 'Bearer');
    return refuse(response, 401, 'Send the token of this server as `authorization: Bearer`.');
  };
}

/** An address of version 6 stands in brackets. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Digests are of one length, as the comparison in constant time needs. */
function tokenCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = digest(token);
  return (authorization = '') => {
    const [, offered = ''] = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization) ?? [];
    return timingSafeEqual(digest(offered), expected);
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** As MCP has errors of HTTP. */
function refuse(response: ServerResponse, status: number, message: string): false {
  const error = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(error));
  return false;
}
