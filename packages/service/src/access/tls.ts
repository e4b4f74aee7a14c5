import { createPrivateKey, X509Certificate } from 'node:crypto';
import type http from 'node:http';
import type https from 'node:https';
import type { Server } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Logger } from '../log/logger.ts';

/**
 * What a service shows its callers, and whose certificates it takes from them; all PEM.
 */
export interface Tls {
  readonly cert: string;
  readonly key: string;
  /** Set: every caller has to show a certificate of one of these authorities. */
  readonly clientCa: string | undefined;
}

/** Node would wait two minutes for a handshake. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** Fastify's option for a plain server or, with `tls`, for one that takes HTTPS only. */
export function listener(
  tls: Tls | undefined,
  options: http.ServerOptions,
): { http: http.ServerOptions } {
  if (tls === undefined) return { http: options };
  const { cert, key, clientCa } = tls;
  const clients =
    clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true };
  const secure: https.ServerOptions = {
    ...options,
    cert,
    key,
    ...clients,
    minVersion: 'TLSv1.2',
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  };
  // An HTTPS server is an HTTP server to all that we do with it; its own type would split
  // ours in two.
  return { https: secure } as unknown as { http: http.ServerOptions };
}

/** At debug level: a failed handshake is the caller's mistake or a port probe. */
export function logHandshakes(server: Server, logger: Logger): void {
  server.on('tlsClientError', ({ code, message }: NodeJS.ErrnoException) => {
    logger.debug({ code, reason: message }, 'TLS handshake failed');
  });
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * One PEM certificate or more; each is read, since OpenSSL passes over what it cannot
 * read in a list.
 */
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

/**
 * Why a server cannot work with these, if so: a key of another certificate, or one too
 * weak for OpenSSL.
 */
export function refusalOf({ cert, key, clientCa }: Tls): string | undefined {
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
