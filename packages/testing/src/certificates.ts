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

/** A certificate for `localhost` and 127.0.0.1, good for servers and clients. */
export async function certificate(
  name: string,
  ca?: Certificate,
  validity: { notBeforeDate?: Date; notAfterDate?: Date } = {},
): Promise<Certificate> {
  return issue(
    name,
    [
      { type: 2, value: 'localhost' },
      { type: 7, ip: '127.0.0.1' },
    ],
    {
      ...validity,
      ...(ca === undefined ? {} : { ca }),
    },
  );
}

/** A certificate for these host names, signed by itself. */
export async function selfSigned(...names: readonly string[]): Promise<Certificate> {
  return issue(
    'gatehouse-test',
    names.map((value) => ({ type: 2, value })),
  );
}

type AltName = { type: 2; value: string } | { type: 7; ip: string };

async function issue(name: string, altNames: AltName[], options = {}): Promise<Certificate> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ...options,
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { key, cert };
}
