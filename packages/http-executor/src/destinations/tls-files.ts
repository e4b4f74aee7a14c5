import { createPrivateKey, X509Certificate } from 'node:crypto';

/** Contents of TLS files, in PEM format. */
export interface TlsFiles {
  readonly id: string;
  readonly ca: string | undefined;
  readonly identity: { readonly cert: string; readonly key: string } | undefined;
}

/** True if the private key belongs to the certificate. */
export function isPair({ cert, key }: NonNullable<TlsFiles['identity']>): boolean {
  const certificate = new X509Certificate(cert.replace(/^\uFEFF/, ''));
  return certificate.checkPrivateKey(createPrivateKey(key));
}
