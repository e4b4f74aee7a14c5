import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { TlsFiles } from '../transport.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/**
 * Checks TLS files without loading the built-in CA certificates, which would take 35 ms.
 * @throws {Error} if a certificate or key is missing or malformed, or if the two do not match.
 */
export function checkTlsFiles({ ca, identity }: Omit<TlsFiles, 'id'>): void {
  // Node ignores a malformed CA certificate and an empty certificate or key, so parse every file.
  for (const pem of [ca, identity?.cert]) {
    const certificates = pem?.match(CERTIFICATE);
    if (certificates === null) throw new Error('there is no PEM certificate');
    for (const each of certificates ?? []) new X509Certificate(each);
  }
  if (identity === undefined) return;
  createPrivateKey(identity.key);
  createSecureContext(identity);
}
