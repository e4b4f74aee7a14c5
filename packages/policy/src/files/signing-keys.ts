import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto';
import { type ReadFile, readRegularFile } from '@gatehouse/config-file';
import { type KeySet, SIGNATURE_ALGORITHM } from '@gatehouse/contracts';
import canonicalize from 'canonicalize';

type PublicKey = KeySet['keys'][number];

/** Keys of a key file. The first one signs, and all of them are accepted. */
export interface SigningKeys {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** Public keys, as `GET /policy/keys` shows them. */
  readonly keySet: KeySet;
  readonly find: (kid: string) => Promise<PublicKey | undefined>;
}

const KEY = /-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END PRIVATE KEY-----/g;

/** Reads a key file. @throws Error that begins with a verb */
export function readSigningKeys(path: string, readFile: ReadFile = readRegularFile): SigningKeys {
  if (path === '') throw new Error('is empty; leave it unset to sign nothing');
  return parseSigningKeys(readFile(path).toString());
}

/** Parses a file of Ed25519 keys (PKCS#8, PEM). @throws Error that contains no key */
export function parseSigningKeys(text: string): SigningKeys {
  const [privateKey, ...others] = (text.match(KEY) ?? []).map(readKey);
  if (privateKey === undefined || text.replace(KEY, '').trim() !== '')
    throw new Error('must contain only private keys as PEM (PKCS#8), each from `gatehouse keygen`');

  const signs = publicJwk(privateKey);
  const keys = [signs, ...others.map(publicJwk)];
  const find = async (id: string) => keys.find(({ kid }) => kid === id);
  return { kid: signs.kid, privateKey, keySet: { keys }, find };
}

function publicJwk(key: KeyObject): PublicKey {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const members = { kty: 'OKP', crv: 'Ed25519', x } as const;
  // The thumbprint of RFC 7638.
  const kid = hash('sha256', String(canonicalize(members)), 'base64url');
  return { ...members, kid, alg: SIGNATURE_ALGORITHM, use: 'sig' };
}

function readKey(pem: string, index: number): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Say below which key to replace, because OpenSSL's message does not.
  }
  throw new Error(`must contain only Ed25519 keys; replace key ${index + 1}`);
}
