import { createPrivateKey, X509Certificate } from 'node:crypto';
import type http from 'node:http';
import type https from 'node:https';
import type { Server } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';
import type { Logger } from '../log/logger.ts';
import type { ClientTimes } from '../server/client-times.ts';

/** All PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
  /** When set, every caller must show a certificate of one of these authorities. */
  readonly clientCa: string | undefined;
}

/** Fastify's options for a server that takes plain HTTP or, with `tls`, HTTPS only. */
export function listener(
  tls: Tls | undefined,
  { handshakeMs, headersMs, checkMs }: ClientTimes,
): { http: http.ServerOptions } {
  const options = {
    headersTimeout: headersMs,
    connectionsCheckingInterval: checkMs,
    // A hook requires it, and answers with a problem.
    requireHostHeader: false,
  };
  if (tls === undefined) return { http: options };
  const { cert, key, clientCa: ca } = tls;
  const secure: https.ServerOptions = {
    ...options,
    cert,
    key,
    minVersion: 'TLSv1.2',
    handshakeTimeout: handshakeMs,
    ...(ca !== undefined && { ca, requestCert: true, rejectUnauthorized: true }),
  };
  // The type of HTTP for both: all code here treats them alike.
  return { https: secure } as unknown as { http: http.ServerOptions };
}

/** What to tell an operator about callers that OpenSSL refuses. */
const HINTS: Readonly<Record<string, string>> = {
  ERR_SSL_HTTP_REQUEST: 'the caller sent plain HTTP, and this port takes HTTPS only',
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: 'the caller sent no client certificate',
};

/** Refused callers are warnings; connections that just end, such as port probes, are not. */
export function logHandshakes(server: Server, logger: Logger): void {
  server.on('tlsClientError', (error: OpenSslError, socket: TLSSocket) => {
    const { code = '', message, reason = message } = error;
    const fields = { code, reason: HINTS[code] ?? reason, remote: socket.remoteAddress };
    const level = code.startsWith('ERR_SSL_') ? 'warn' : 'debug';
    logger[level](fields, 'TLS handshake failed');
  });
}

/** OpenSSL's words without its addresses in memory. */
type OpenSslError = NodeJS.ErrnoException & { readonly reason?: string };

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Parses each one, since OpenSSL skips malformed ones. @throws Error: what the file must hold */
export function parseCertificates(pem: string): string {
  const found = pem.match(CERTIFICATES) ?? [];
  if (found.length === 0 || !found.every((each) => readable(() => new X509Certificate(each)))) {
    throw new Error('must name a file of PEM certificates');
  }
  return pem;
}

/** @throws Error: what the file must hold */
export function parsePrivateKey(pem: string): string {
  if (!readable(() => createPrivateKey(pem))) {
    throw new Error('must name a file with one PEM private key, without a passphrase');
  }
  return pem;
}

/** Why OpenSSL takes no such pair, if so: the key of another certificate, or a weak one. */
export function tlsConflict({ cert, key, clientCa }: Tls): string | undefined {
  try {
    createSecureContext({ cert, key, ca: clientCa });
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unusable';
  }
}

function readable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
