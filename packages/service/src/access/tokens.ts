import { hash, timingSafeEqual } from 'node:crypto';
import { splitList } from '../settings/settings.ts';

/** Shorter tokens work, but cause a warning. */
const GUESSABLE_LENGTH = 16;

/** Visible ASCII without a comma, which separates tokens. */
const TOKEN = /^[\x21-\x2b\x2d-\x7e]+$/;

/** Short and plain because the name becomes a metric label. */
const CALLER = /^[A-Za-z0-9._-]{1,64}$/;

/** The token of an `authorization` header (RFC 6750 section 2.1). */
const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

export interface ApiToken {
  readonly text: string;
  readonly caller: string | undefined;
}

interface Known {
  readonly digest: Buffer;
  readonly caller: string | undefined;
}

/** Accepted tokens, kept as digests so that nothing can print them. */
export class Tokens {
  readonly #known: readonly Known[];
  /** Startup warning about guessable tokens. */
  readonly weakness: string | undefined;

  constructor(tokens: readonly ApiToken[]) {
    const distinct = new Map(tokens.map(({ text, caller }) => [text, caller]));
    this.#known = [...distinct].map(([text, caller]) => ({ digest: digestOf(text), caller }));
    const short = [...distinct.keys()].filter(({ length }) => length < GUESSABLE_LENGTH).length;
    if (short > 0)
      this.weakness = `${short} of ${distinct.size} API tokens have fewer than ${GUESSABLE_LENGTH} characters and may be guessed`;
  }

  /** Returns the caller of an `authorization` header in constant time. */
  accept(authorization: string | undefined): Pick<ApiToken, 'caller'> | undefined {
    const offered = BEARER.exec(authorization ?? '')?.[1];
    if (offered === undefined) return undefined;
    const digest = digestOf(offered);
    return this.#known.filter((known) => timingSafeEqual(known.digest, digest))[0];
  }

  get callers(): ReadonlySet<string> {
    return new Set(this.#known.flatMap(({ caller }) => caller ?? []));
  }
}

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** True if a header has a bearer token, valid or not. */
export const hasBearerToken = (authorization = ''): boolean => BEARER.test(authorization);

/** Parses tokens separated by commas or line ends. @throws Error that shows no token */
export function parseTokens(text: string): readonly ApiToken[] {
  const tokens = splitList(text.replaceAll('\n', ',')).map(parseToken);
  if (tokens.length === 0)
    throw new Error('must contain at least one token; leave it unset to serve any caller');
  const clash = findClash(tokens);
  if (clash === undefined) return tokens;
  throw new Error(
    `must give each token to one caller; entry ${clash + 1} repeats another caller's token`,
  );
}

/** Parses `token` or `name:token`. Any text before a colon is a name. */
function parseToken(entry: string, index: number): ApiToken {
  const colon = entry.indexOf(':');
  const caller = colon === -1 ? undefined : entry.slice(0, colon);
  const text = entry.slice(colon + 1);
  if (caller !== undefined && !CALLER.test(caller))
    throw new Error(
      `must contain \`token\` or \`name:token\` entries; the name in entry ${index + 1} must have 1 to 64 letters, digits, \`.\`, \`_\` or \`-\`, and a token with a colon needs a name before it`,
    );
  if (!TOKEN.test(text))
    throw new Error(
      `must contain tokens of visible ASCII characters without spaces; entry ${index + 1} is not one`,
    );
  return { text, caller };
}

/** Index of the first token that an earlier entry gives to another caller. */
export function findClash(tokens: readonly ApiToken[]): number | undefined {
  const callers = new Map<string, string | undefined>();
  for (const [index, { text, caller }] of tokens.entries()) {
    if (callers.has(text) && callers.get(text) !== caller) return index;
    callers.set(text, caller);
  }
  return undefined;
}
