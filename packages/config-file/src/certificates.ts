import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /^-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\s*$/gm;
const MARKER = /-(?:BEGIN|END) CERTIFICATE(?! REQUEST)/g;

/**
 * Checks the certificates in a PEM file without loading the built-in CA certificates, which would
 * take 35 ms.
 * @throws {Error} if a certificate is missing or malformed
 */
export function checkCertificates(pem: string): void {
  // Node ignores a malformed CA certificate and an empty certificate, so parse every one.
  const certificates = pem.replace(/^\uFEFF/, '').match(CERTIFICATE) ?? [];
  const markers = pem.match(MARKER) ?? [];
  if (markers.length === 0) throw new Error('there is no PEM certificate');
  if (markers.length !== 2 * certificates.length)
    throw new Error('a PEM certificate is incomplete or does not begin on a line of its own');
  for (const each of certificates) new X509Certificate(each);
}
