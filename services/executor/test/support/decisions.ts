import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { actionDigest } from '@gatehouse/contracts/action';

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Keys of the policy service. */
export const KEYS = generateKeyPairSync('ed25519');
export const OTHER_KEYS = generateKeyPairSync('ed25519');
export const RSA_KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 });

export const publicJwk = ({ publicKey }: KeyPair) => publicKey.export({ format: 'jwk' });

/** JSON Web Key Set of key pairs by id. */
export const keySet = (pairs: Readonly<Record<string, KeyPair>>): string =>
  JSON.stringify({
    keys: Object.entries(pairs).map(([kid, pair]) => ({ ...publicJwk(pair), kid, use: 'sig' })),
  });

export const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export const HEADER = { alg: 'Ed25519', typ: 'gatehouse-decision+jwt', kid: 'k1' };

export function jws(header: unknown, payload: unknown, key: KeyObject = KEYS.privateKey): string {
  const text = `${encode(header)}.${encode(payload)}`;
  const digest = key.asymmetricKeyType === 'rsa' ? 'sha256' : null;
  return `${text}.${sign(digest, Buffer.from(text), key).toString('base64url')}`;
}

/** JWS whose secret is the public key, as if the public key were a shared one. */
export function hmac(header: unknown, payload: unknown): string {
  const text = `${encode(header)}.${encode(payload)}`;
  const secret = Buffer.from(String(publicJwk(KEYS).x), 'base64url');
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

export const seconds = () => Math.floor(Date.now() / 1_000);

export interface Action {
  readonly method: string;
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly body_type?: 'base64';
}

/** Claims of a decision token for an action. */
export function claims(action: Action, more: object = {}) {
  const { method, url, ...rest } = action;
  const digest = actionDigest({ method: method as 'POST', url: new URL(url), ...rest });
  const now = seconds();
  return {
    ...{ iss: 'gatehouse-policy', aud: 'gatehouse-executor', iat: now, exp: now + 60 },
    ...{ jti: crypto.randomUUID(), action_digest: digest.ok && digest.value },
    ...{ policy_digest: 'd', ...more },
  };
}
