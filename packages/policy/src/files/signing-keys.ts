import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto';
import { type ReadFile, readRegularFile } from '@gatehouse/config-file';
import { type KeySet, SIGNATURE_ALGORITHM } from '@gatehouse/contracts';
import canonicalize from 'canonicalize';
import { type CryptoKey, importJWK, importPKCS8 } from 'jose';

/** Keys of a key file. The first one signs, and all of them are accepted. */
export interface SigningKeys {
  readonly kid: string;
  readonly privateKey: () => Promise<CryptoKey>;
  /** Public keys, as `GET /policy/keys` shows them. */
  readonly keySet: KeySet;
  readonly find: (kid: string) => Promise<CryptoKey | undefined>;
}

const KEY = /-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END PRIVATE KEY-----/g;

/** Reads a key file. @throws Error that begins with a verb */
export function readSigningKeys(path: string, readFile: ReadFile = readRegularFile): SigningKeys {
  if (path === '') throw new Error('is empty; leave it unset to sign nothing');
  return parseSigningKeys(readFile(path).toString());
}

/** Parses a file of Ed25519 keys (PKCS#8, PEM). @throws Error that contains no key */
export function parseSigningKeys(text: string): SigningKeys {
  const pems = text.match(KEY) ?? [];
  if (pems.length === 0 || text.replace(KEY, '').trim() !== '')
    throw new Error('must contain only private keys as PEM (PKCS#8), each from `gatehouse keygen`');

  const [first = '', ...others] = pems;
  const keys = [first, ...others].map((pem, index) => publicJwk(pem, index));
  const kid = String(keys[0]?.kid);
  const imported = new Map<string, Promise<CryptoKey>>();
  let signing: Promise<CryptoKey> | undefined;
  return {
    kid,
    privateKey: () => (signing ??= importPKCS8(first, SIGNATURE_ALGORITHM)),
    keySet: { keys },
    find: async (id) => {
      const jwk = keys.find((key) => key.kid === id);
      if (jwk !== undefined && !imported.has(id))
        imported.set(id, importJWK(jwk, SIGNATURE_ALGORITHM) as Promise<CryptoKey>);
      return imported.get(id);
    },
  };
}

function publicJwk(pem: string, index: number): KeySet['keys'][number] {
  const key = readKey(pem);
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new Error(`must contain only Ed25519 keys; replace key ${index + 1}`);

  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const members = { kty: 'OKP', crv: 'Ed25519', x } as const;
  // The thumbprint of RFC 7638.
  const kid = hash('sha256', String(canonicalize(members)), 'base64url');
  return { ...members, kid, alg: SIGNATURE_ALGORITHM, use: 'sig' };
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
