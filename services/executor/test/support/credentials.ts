import fc from 'fast-check';

/** What a caller sends, and what of it is secret. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly [string, ...string[]];
}

/** A header of `HTTP_EXECUTOR_REDACTED_HEADERS` in these tests. */
export const CUSTOM_HEADER = 'x-internal';

const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));

/**
 * Six characters and more, four of them different. Made of characters one by one, since
 * ready-made strings such as `length` would be found in every outcome.
 */
const secretOf = (characters: readonly string[], maxLength = 24) =>
  fc
    .array(fc.constantFrom(...characters), { minLength: 6, maxLength })
    .map((parts) => parts.join(''))
    .filter(
      (text) =>
        text.trim() === text && new Set(text).size >= 4 && !'redacted'.includes(text.toLowerCase()),
    );

const secret = secretOf(PRINTABLE);
const without = (excluded: string) =>
  PRINTABLE.filter((character) => !excluded.includes(character));

const base64 = (text: string) => Buffer.from(text).toString('base64');

const bearer = secret.map(
  (token): Credentials => ({ headers: { authorization: `Bearer ${token}` }, secrets: [token] }),
);

const basic = fc.tuple(secretOf(without(':')), secret).map(([user, password]): Credentials => {
  const encoded = base64(`${user}:${password}`);
  return { headers: { Authorization: `Basic ${encoded}` }, secrets: [password, encoded] };
});

const digest = fc
  .tuple(secret, fc.stringMatching(/^[0-9a-f]{32}$/))
  .map(([user, response]): Credentials => {
    const quoted = user.replace(/["\\]/g, '\\$&');
    return {
      headers: { authorization: `Digest username="${quoted}", response="${response}"` },
      secrets: [response],
    };
  });

const cookies = fc.tuple(secretOf(without(';"')), secretOf(without(';"'))).map(
  ([session, other]): Credentials => ({
    headers: { Cookie: `theme=dark; sid=${session}; auth_token="${other}"` },
    secrets: [session, other],
  }),
);

const keyHeaders = fc
  .tuple(
    secret,
    fc.constantFrom('x-api-key', 'X-Auth-Token', 'x-client-secret', CUSTOM_HEADER.toUpperCase()),
  )
  .map(([key, name]): Credentials => ({ headers: { [name]: key }, secrets: [key] }));

export const credentials = fc.oneof(bearer, basic, digest, cookies, keyHeaders);
