import { createPrivateKey, X509Certificate } from 'node:crypto';

/** Contents of TLS files, in PEM format. */
export interface TlsFiles {
  readonly id: string;
  readonly ca: string | undefined;
  readonly identity: { readonly cert: string; readonly key: string } | undefined;
}

const CERTIFICATE = /^-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\s*$/gm;
const MARKER = /-(?:BEGIN|END) CERTIFICATE(?! REQUEST)/g;

/**
 * Checks TLS files without loading the built-in CA certificates, which would take 35 ms.
 * @throws {Error} if a certificate or key is missing or malformed, or if the two do not match.
 */
export function checkTlsFiles({ ca, identity }: Omit<TlsFiles, 'id'>): void {
  // Node ignores a malformed CA certificate and an empty certificate or key, so parse every file.
  for (const pem of [ca, identity?.cert].filter((each) => each !== undefined)) {
    const certificates = pem.replace(/^\uFEFF/, '').match(CERTIFICATE) ?? [];
    const markers = pem.match(MARKER) ?? [];
    if (markers.length === 0) throw new Error('there is no PEM certificate');
    if (markers.length !== 2 * certificates.length)
      throw new Error('a PEM certificate is incomplete or does not begin on a line of its own');
    for (const each of certificates) new X509Certificate(each);
  }
  if (identity === undefined) return;
  const certificate = new X509Certificate(identity.cert.replace(/^\uFEFF/, ''));
  if (!certificate.checkPrivateKey(createPrivateKey(identity.key)))
    throw new Error('the private key does not belong to the certificate');
}
