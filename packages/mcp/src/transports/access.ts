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

/** False: the request was refused, and answered. */
export type Guard = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * In this order: 1. path; 2. `Host` and `Origin`, because a page in the user's browser may
 * point its own name to loopback; 3. token.
 */
export function accessGuard(path: string, { host, names, token }: HttpOptions): Guard {
  const known = [...localhostAllowedHostnames(), inUrl(host), ...names];
  const guards = [hostHeaderValidation(known), originValidation(known)];
  const wanted = token === undefined ? undefined : digest(`Bearer ${token}`);
  return (request, response) => {
    if (request.url?.split('?')[0] !== path) return refuse(response, 404, `Use ${path}.`);
    if (!guards.every((guard) => guard(request, response))) return false;
    const offered = request.headers.authorization?.replace(/^bearer +/i, 'Bearer ') ?? '';
    if (wanted === undefined || timingSafeEqual(digest(offered), wanted)) return true;
    response.setHeader('www-authenticate', 'Bearer');
    return refuse(response, 401, 'Send the token of this server as `authorization: Bearer`.');
  };
}

/** An IPv6 address is written in brackets. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Digests have one length, which the comparison in constant time needs. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function refuse(response: ServerResponse, status: number, message: string): false {
  const error = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(error));
  return false;
}
