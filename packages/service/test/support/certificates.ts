import { generate } from 'selfsigned';

export interface Certificate {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

/** A certificate authority of its own. */
export async function authority(name: string): Promise<Certificate> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  return { key, cert };
}

/**
 * A certificate for `localhost` and 127.0.0.1, good for servers and clients; signed by
 * itself without an authority.
 */
export async function certificate(
  name: string,
  ca?: Certificate,
  validity: { notBeforeDate?: Date; notAfterDate?: Date } = {},
): Promise<Certificate> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ...validity,
    ...(ca === undefined ? {} : { ca }),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { key, cert };
}

/** With an RSA key of 1024 bits. */
export async function weakCertificate(): Promise<Certificate> {
  const name = [{ name: 'commonName', value: 'weak' }];
  const { private: key, cert } = await generate(name, {
    keyType: 'rsa',
    keySize: 1024,
    algorithm: 'sha256',
  });
  return { key, cert };
}
