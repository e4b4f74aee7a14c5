import type { Certificate } from '@gatehouse/testing';
import { generate } from 'selfsigned';

/** Certificate with an RSA key of 1024 bits, which OpenSSL refuses. */
export async function weakCertificate(): Promise<Certificate> {
  const name = [{ name: 'commonName', value: 'weak' }];
  const { private: key, cert } = await generate(name, {
    keyType: 'rsa',
    keySize: 1024,
    algorithm: 'sha256',
  });
  return { key, cert };
}
