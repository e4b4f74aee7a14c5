import { generate } from 'selfsigned';

export interface Certificate {
  /** Private key. Both `key` and `cert` are in PEM format. */
  readonly key: string;
  readonly cert: string;
}

/** Creates a certificate authority. */
export const authority = (name: string): Promise<Certificate> =>
  issue(name, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, critical: true },
  ]);

/** Creates a certificate for `localhost` and 127.0.0.1, valid for both servers and clients. */
export const certificate = (
  name: string | readonly string[],
  ca?: Certificate,
  validity: { notBeforeDate?: Date; notAfterDate?: Date } = {},
): Promise<Certificate> =>
  issue(name, extensions({ type: 2, value: 'localhost' }, { type: 7, ip: '127.0.0.1' }), {
    ...validity,
    ...(ca && { ca }),
  });

/** Creates a self-signed certificate for the given host names. */
export const selfSigned = (...names: readonly string[]): Promise<Certificate> =>
  issue('gatehouse-test', extensions(...names.map((value) => ({ type: 2 as const, value }))));

type Options = NonNullable<Parameters<typeof generate>[1]>;
type Extensions = NonNullable<Options['extensions']>;

const extensions = (...altNames: ({ type: 2; value: string } | { type: 7; ip: string })[]) => [
  { name: 'basicConstraints' as const, cA: false },
  { name: 'extKeyUsage' as const, serverAuth: true, clientAuth: true },
  { name: 'subjectAltName' as const, altNames },
];

async function issue(
  name: string | readonly string[],
  extensions: Extensions,
  options: Options = {},
) {
  const names = [name].flat().map((value) => ({ name: 'commonName', value }));
  const { private: key, cert } = await generate(names, {
    ...{ keyType: 'ec', algorithm: 'sha256', extensions },
    ...options,
  });
  return { key, cert };
}
