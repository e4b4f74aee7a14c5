import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import type http from 'node:http';
import type https from 'node:https';
import type { Server, Socket } from 'node:net';
import { createSecureContext, type SecureContextOptions, type Server as TlsServer } from 'node:tls';
import { checkCertificates } from '@gatehouse/config-file';
import type { Logger } from 'pino';

/** Certificates and private key, all in PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
  /** CA certificates for verifying callers. If set, every caller must present a certificate. */
  readonly clientCa: string | undefined;
}

/** Returns Fastify options for an HTTPS server, or for plain HTTP if `tls` is undefined. */
export function listenerOptions(
  tls: Tls | undefined,
  { handshakeMs, headersMs, checkMs }: Record<'handshakeMs' | 'headersMs' | 'checkMs', number>,
): { http: http.ServerOptions } {
  const options = {
    headersTimeout: headersMs,
    connectionsCheckingInterval: checkMs,
    // Turn off Node's check for `host`, so that `requireHost` can answer with a problem document.
    requireHostHeader: false,
  };
  if (tls === undefined) return { http: options };

  const secure: https.ServerOptions = {
    ...options,
    ...contextOptions(tls),
    handshakeTimeout: handshakeMs,
    ...(tls.clientCa !== undefined && { requestCert: true, rejectUnauthorized: true }),
  };
  // Cast to HTTP options, because our code treats HTTP and HTTPS servers alike.
  return { https: secure } as unknown as { http: http.ServerOptions };
}

const contextOptions = ({ cert, key, clientCa: ca }: Tls): SecureContextOptions => ({
  cert,
  key,
  ca,
  minVersion: 'TLSv1.2',
  // A resumed session would keep a client certificate valid after it has expired.
  ...(ca !== undefined && { secureOptions: constants.SSL_OP_NO_TICKET }),
});

/** Replaces the certificates. Connections stay open, but old TLS sessions cannot be resumed. */
export function replaceTls(server: Server, tls: Tls): void {
  (server as TlsServer).setSecureContext(contextOptions(tls));
}

/** Hints for operators, keyed by OpenSSL error code. */
const HINTS: Readonly<Record<string, string>> = {
  ERR_SSL_HTTP_REQUEST: 'the caller sent plain HTTP, but this port accepts only HTTPS',
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: 'the caller sent no client certificate',
};
const UNACCEPTABLE = 'this service does not accept the client certificate';

/** Warns about failed TLS handshakes, but logs dropped connections only at the debug level. */
export function logHandshakes(server: Server, logger: Logger): void {
  // Read each address now, so that Node caches it and can return it after the connection closes.
  for (const event of ['connection', 'secureConnection'])
    server.on(event, ({ remoteAddress }: Socket) => void remoteAddress);
  server.on('tlsClientError', (error: OpenSslError, socket: RefusedSocket) => {
    const { authorizationError: refusal, _parent: connection } = socket;
    const code = refusal ?? error.code ?? '';
    const reason = refusal ? UNACCEPTABLE : (HINTS[code] ?? error.reason ?? error.message);
    const level = refusal || code.startsWith('ERR_SSL_') ? 'warn' : 'debug';
    logger[level]({ code, reason, remote: connection?.remoteAddress }, 'TLS handshake failed');
  });
}

/** `reason` is OpenSSL's error text, without the memory addresses that `message` contains. */
type OpenSslError = NodeJS.ErrnoException & { readonly reason?: string };

/** `_parent` is Node's private reference to the TCP connection. */
interface RefusedSocket {
  /** OpenSSL's code for what is wrong with the client certificate, such as `CERT_HAS_EXPIRED`. */
  readonly authorizationError: string | null;
  readonly _parent?: Socket;
}

/** @throws Error if a certificate is missing or malformed */
export function parseCertificates(pem: string): string {
  if (isValidPem(() => checkCertificates(pem))) return pem;
  throw new Error(
    'must name a file of complete PEM certificates, each of which begins on a line of its own',
  );
}

export function parsePrivateKey(pem: string): string {
  if (!isValidPem(() => createPrivateKey(pem))) {
    throw new Error('must name a file with one PEM private key, without a passphrase');
  }
  return pem;
}

/** Returns an error message if OpenSSL does not accept the key and certificate. */
export function keyConflict(prefix: string, tls: Tls): string | undefined {
  try {
    createSecureContext(contextOptions(tls));
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `does not belong to the certificate in ${prefix}_TLS_CERT_FILE, or is too weak (${code})`;
  }
}

/** Returns a warning if the service's own certificate has expired. */
export function expiryWarning({ cert }: Tls): string | undefined {
  const { validTo } = new X509Certificate(cert);
  if (Date.parse(validTo) > Date.now()) return undefined;
  return `callers may refuse to connect, because the TLS certificate expired on ${validTo}; replace it`;
}

function isValidPem(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
