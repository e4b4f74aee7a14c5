import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node';
import { localhostAllowedHostnames } from '@modelcontextprotocol/server';

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** Host names by which clients reach the server, in addition to loopback. */
  readonly names: readonly string[];
  readonly token: string | undefined;
}

/**
 * Returns a guard that checks a request's path, then `Host` and `Origin`, then the token. The guard
 * returns true, or sends an error response and returns false. Only known host names are accepted,
 * because an attacker's host name can resolve to 127.0.0.1 (DNS rebinding).
 */
export function accessGuard(path: string, { host, names, token }: HttpOptions) {
  const known = [...localhostAllowedHostnames(), inUrl(host), ...names];
  const guards = [hostHeaderValidation(known), originValidation(known)];
  const wanted = token === undefined ? undefined : digest(`Bearer ${token}`);
  return (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.split('?')[0] !== path) return refuseAccess(response, 404, `Use ${path}.`);
    if (!guards.every((guard) => guard(request, response))) return false;
    const offered = request.headers.authorization?.replace(/^bearer +/i, 'Bearer ') ?? '';
    if (wanted === undefined || timingSafeEqual(digest(offered), wanted)) return true;
    response.setHeader('www-authenticate', 'Bearer');
    return refuseAccess(response, 401, SEND_TOKEN);
  };
}

const SEND_TOKEN = "Send this server's token as `authorization: Bearer <token>`.";

/** Formats a host for a URL, with brackets around an IPv6 address. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** `timingSafeEqual` needs inputs of equal length, so we compare digests. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function refuseAccess(response: ServerResponse, status: number, message: string): false {
  const error = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(error));
  return false;
}
