import { createPrivateKey, X509Certificate } from 'node:crypto';
import type http from 'node:http';
import type https from 'node:https';
import type { Server } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';
import type { Logger } from '../log/logger.ts';
import type { ClientTimes } from '../server/client-times.ts';

/** All values are PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
  /** Authorities for client certificates. If set, every caller must present one. */
  readonly clientCa: string | undefined;
}

/** Fastify options for plain HTTP or, with `tls`, for HTTPS only. */
export function listener(
  tls: Tls | undefined,
  { handshakeMs, headersMs, checkMs }: ClientTimes,
): { http: http.ServerOptions } {
  const options = {
    headersTimeout: headersMs,
    connectionsCheckingInterval: checkMs,
    // Node would answer with a bare 400. Our hook answers with a problem document.
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
  // Typed as HTTP because our code treats both servers alike.
  return { https: secure } as unknown as { http: http.ServerOptions };
}

/** Operator hints by OpenSSL error code. */
const HINTS: Readonly<Record<string, string>> = {
  ERR_SSL_HTTP_REQUEST: 'the caller sent plain HTTP, and this port accepts only HTTPS',
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: 'the caller sent no client certificate',
};

/** Logs refused callers as warnings, and dropped connections such as port probes as debug. */
export function logHandshakes(server: Server, logger: Logger): void {
  server.on('tlsClientError', (error: OpenSslError, socket: TLSSocket) => {
    const { code = '', message, reason = message } = error;
    const fields = { code, reason: HINTS[code] ?? reason, remote: socket.remoteAddress };
    const level = code.startsWith('ERR_SSL_') ? 'warn' : 'debug';
    logger[level](fields, 'TLS handshake failed');
  });
}

/** `reason` is OpenSSL's message without memory addresses. */
type OpenSslError = NodeJS.ErrnoException & { readonly reason?: string };

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Parses each certificate, because OpenSSL skips malformed ones. @throws Error */
export function parseCertificates(pem: string): string {
  const found = pem.match(CERTIFICATES) ?? [];
  if (found.length === 0 || !found.every((each) => readable(() => new X509Certificate(each)))) {
    throw new Error('must name a file of PEM certificates');
  }
  return pem;
}

export function parsePrivateKey(pem: string): string {
  if (!readable(() => createPrivateKey(pem))) {
    throw new Error('must name a file with one PEM private key, without a passphrase');
  }
  return pem;
}

/** Returns the OpenSSL error code if the key does not fit the certificate or is too weak. */
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
