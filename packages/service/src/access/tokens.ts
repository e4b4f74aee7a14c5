import { hash, timingSafeEqual } from 'node:crypto';
import { NAME, NAME_CHARS } from '@gatehouse/contracts';

/** Recommended minimum length of a token. A shorter token is accepted, but causes a warning. */
const GUESSABLE_LENGTH = 16;

/** Visible ASCII except the comma, which separates tokens. */
const TOKEN = /^[\x21-\x2b\x2d-\x7e]+$/;

/** Caller names are short and plain, because they become metric labels. */
const CALLER = new RegExp(NAME);

export const isCallerName = (text: unknown): text is string =>
  typeof text === 'string' && CALLER.test(text);

/** Captures the token in an `authorization` header (RFC 6750 section 2.1). */
const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

export interface ApiToken {
  readonly text: string;
  readonly caller: string | undefined;
}

/** Accepted tokens, stored as digests so that no log or error can show a token. */
export class Tokens {
  #known: readonly { digest: Buffer; caller: string | undefined }[] = [];
  weakness: string | undefined;

  constructor(tokens: readonly ApiToken[]) {
    this.replace(tokens);
  }

  /** Replaces the list of accepted tokens. The new list applies from the next request on. */
  replace(tokens: readonly ApiToken[]): void {
    const distinct = new Map(tokens.map(({ text, caller }) => [text, caller]));
    this.#known = [...distinct].map(([text, caller]) => ({ digest: digestOf(text), caller }));
    const short = [...distinct.keys()].filter(({ length }) => length < GUESSABLE_LENGTH).length;
    this.weakness =
      short === 0
        ? undefined
        : `${short} of ${distinct.size} tokens have fewer than ${GUESSABLE_LENGTH} characters and can be guessed`;
  }

  /** Returns the accepted token in an `authorization` header, if any. Compares in constant time. */
  accept(authorization: string | undefined): Pick<ApiToken, 'caller'> | undefined {
    const offered = BEARER.exec(authorization ?? '')?.[1];
    if (offered === undefined) return undefined;
    const digest = digestOf(offered);
    return this.#known.filter((known) => timingSafeEqual(known.digest, digest))[0];
  }

  get size(): number {
    return this.#known.length;
  }

  get callers(): ReadonlySet<string> {
    return new Set(this.#known.flatMap(({ caller }) => caller ?? []));
  }
}

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** True if an `authorization` header contains a bearer token, whether or not we accept it. */
export const hasBearerToken = (authorization = ''): boolean => BEARER.test(authorization);

/** Parses tokens separated by commas or line breaks. @throws Error that contains no token */
export function parseTokens(text: string): readonly ApiToken[] {
  const entries = text.split(/[,\n]/).map((entry) => entry.trim());
  const tokens = entries.filter((entry) => entry !== '').map(parseToken);
  if (tokens.length === 0)
    throw new Error('must contain at least one token; to require none, leave the setting unset');
  const clash = findClash(tokens);
  if (clash === undefined) return tokens;
  throw new Error(
    `must give each caller a different token; entry ${clash + 1} repeats another caller's token`,
  );
}

/** Parses `token` or `name:token`. In `name:token`, the name ends at the first colon. */
function parseToken(entry: string, index: number): ApiToken {
  const colon = entry.indexOf(':');
  const caller = colon === -1 ? undefined : entry.slice(0, colon);
  const text = entry.slice(colon + 1);
  if (caller !== undefined && !isCallerName(caller))
    throw new Error(
      `must contain \`token\` or \`name:token\` entries; in entry ${index + 1}, the name before the first colon must have ${NAME_CHARS}`,
    );

  if (!TOKEN.test(text))
    throw new Error(
      `must contain only tokens of visible ASCII characters, without spaces; replace entry ${index + 1}`,
    );

  return { text, caller };
}

/** Returns the index of the first entry that repeats the token of a different caller. */
export function findClash(tokens: readonly ApiToken[]): number | undefined {
  const callers = new Map<string, string | undefined>();
  for (const [index, { text, caller }] of tokens.entries()) {
    if (callers.has(text) && callers.get(text) !== caller) return index;
    callers.set(text, caller);
  }
  return undefined;
}
