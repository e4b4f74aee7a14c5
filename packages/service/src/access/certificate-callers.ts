import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isCallerName } from './tokens.ts';

/**
 * Returns a function that reads the caller's name from the common name of a client certificate.
 * The function caches each connection's caller, because reading a certificate is slow.
 */
export function certificateCallers(): (socket: Socket) => string | undefined {
  const known = new WeakMap<Socket, string | undefined>();
  return (socket) => {
    if (known.has(socket)) return known.get(socket);
    const name: unknown = (socket as TLSSocket).getPeerCertificate()?.subject?.CN;
    const caller = isCallerName(name) ? name : undefined;
    known.set(socket, caller);
    return caller;
  };
}
