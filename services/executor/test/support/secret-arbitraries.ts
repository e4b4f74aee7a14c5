import fc from 'fast-check';

/** A credential in a header, of which exactly one text is secret. */
export interface Held {
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
  /** What the header says besides, and is no secret. */
  readonly plain: readonly string[];
}

const EDGES = [...'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'];
const INNER = [...EDGES, ...'-.+/'];
const text = (from: readonly string[], minLength: number, maxLength: number) =>
  fc
    .array(fc.constantFrom(...from), { minLength, maxLength })
    .map((characters) => characters.join(''));

const secretOf = (minLength: number, maxLength: number) =>
  fc
    .tuple(text(EDGES, 1, 1), text(INNER, minLength - 2, maxLength - 2), text(EDGES, 1, 1))
    .map((parts) => parts.join(''))
    .filter((secret) => new Set(secret).size >= 4 && !'redacted'.includes(secret.toLowerCase()));

/** Short ones count by themselves alone, long ones anywhere. */
const shortSecret = secretOf(6, 15);
export const longSecret = secretOf(16, 60);
const anySecret = fc.oneof(shortSecret, longSecret);

const user = fc.stringMatching(/^[a-z]{4,10}$/).map((name) => `user-${name}`);
const base64 = (plain: string) => Buffer.from(plain).toString('base64');
const held = (headers: Record<string, string>, secret: string, ...plain: string[]): Held => ({
  headers,
  secret,
  plain,
});

/** How a secret may be held; `user` is what stands beside it. */
const KINDS: ((secret: string, user: string) => Held)[] = [
  (secret) => held({ authorization: `Bearer ${secret}` }, secret, 'Bearer'),
  (secret) => held({ Authorization: `token ${secret}` }, secret, 'token'),
  (secret, name) => held({ authorization: `Basic ${base64(`${name}:${secret}`)}` }, secret, name),
  (secret) => held({ authorization: `Basic ${base64(`${secret}:`)}` }, secret, 'Basic'),
  (secret, name) =>
    held({ authorization: `SharedKey ${name}:${secret}` }, secret, name, 'SharedKey'),
  (secret, name) =>
    held(
      {
        authorization: `Digest username="${name}", realm="realm-of-${name}", response="${secret}"`,
      },
      secret,
      name,
    ),
  (secret, name) =>
    held(
      { cookie: `tz=Europe/Berlin; lang=${name}; sid=${secret}` },
      secret,
      name,
      'Europe/Berlin',
    ),
  (secret) => held({ 'X-API-Key': secret }, secret),
  (secret) => held({ 'x-signature': `t=1492774577,v1=${secret}` }, secret, '1492774577'),
  (secret, name) =>
    held(
      { 'x-auth-key': secret, 'x-auth-email': `${name}@example.com` },
      secret,
      `${name}@example.com`,
    ),
  (secret, name) => held({ 'private-token': secret, 'idempotency-key': name }, secret, name),
];

const holding = (secrets: fc.Arbitrary<string>) =>
  fc
    .tuple(secrets, user, fc.constantFrom(...KINDS))
    .map(([secret, name, kind]) => kind(secret, name));

export const heldSecret = holding(anySecret);

/**
 * Texts that resemble a secret, and hold none: what a search that is not careful would
 * take.
 */
export function resembling({ secret, plain }: Held): string[] {
  const half = Math.floor(secret.length / 2);
  const near = [
    secret.slice(1),
    secret.slice(0, -1),
    `${secret.slice(0, half)}_${secret.slice(half)}`,
    secret.slice(0, half),
  ];
  const beside = secret.length < 16 ? [`x${secret}x`, `9${secret}_`, `_${secret}0`] : [];
  // By itself, so that no two make the secret together.
  return [...near, ...beside, ...plain].map((piece) => ` ${piece} `);
}
