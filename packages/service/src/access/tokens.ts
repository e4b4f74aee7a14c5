import { hash, timingSafeEqual } from 'node:crypto';
import { splitList } from '../settings/settings.ts';

/** Shorter tokens work, as for a test, with a warning. */
const GUESSABLE_LENGTH = 16;

/** Visible ASCII without a comma, which separates tokens. */
const TOKEN = /^[\x21-\x2b\x2d-\x7e]+$/;

/** Short and plain: it becomes the value of a label. */
const CALLER = /^[A-Za-z0-9._-]{1,64}$/;

/** The token of an `authorization` header (RFC 6750 section 2.1). */
const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

export interface ApiToken {
  readonly text: string;
  /** Undefined: it has no name. */
  readonly caller: string | undefined;
}

interface Known {
  readonly digest: Buffer;
  readonly caller: string | undefined;
}

/** The tokens that a service takes, as digests: they cannot be read back (docs/decisions/0017). */
export class Tokens {
  readonly #known: readonly Known[];
  /** A warning for the start, if any. */
  readonly weakness: string | undefined;

  constructor(tokens: readonly ApiToken[]) {
    const distinct = new Map(tokens.map(({ text, caller }) => [text, caller]));
    this.#known = [...distinct].map(([text, caller]) => ({ digest: digestOf(text), caller }));
    const short = [...distinct.keys()].filter(({ length }) => length < GUESSABLE_LENGTH).length;
    if (short > 0)
      this.weakness = `${short} of ${distinct.size} API tokens have less than ${GUESSABLE_LENGTH} characters and may be guessed`;
  }

  /** Whose token a header holds, in constant time; undefined: no token of these. */
  accept(authorization: string | undefined): Pick<ApiToken, 'caller'> | undefined {
    const offered = BEARER.exec(authorization ?? '')?.[1];
    if (offered === undefined) return undefined;
    const digest = digestOf(offered);
    return this.#known.filter((known) => timingSafeEqual(known.digest, digest))[0];
  }

  /** The names of all that have one. */
  get callers(): ReadonlySet<string> {
    return new Set(this.#known.flatMap(({ caller }) => caller ?? []));
  }
}

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** Whether a header has a bearer token, right or wrong. */
export const offersToken = (authorization = ''): boolean => BEARER.test(authorization);

/** Tokens separated by commas or line ends. @throws Error that shows no token */
export function parseTokens(text: string): readonly ApiToken[] {
  const tokens = splitList(text.replaceAll('\n', ',')).map(parseToken);
  if (tokens.length === 0)
    throw new Error('must hold at least one token; leave it unset to serve any caller');
  const clash = clashOf(tokens);
  if (clash === undefined) return tokens;
  throw new Error(
    `must give each token to one caller; number ${clash + 1} repeats the token of another`,
  );
}

/** Up to the first colon it is a name, so that a name is never taken for a token. */
function parseToken(entry: string, index: number): ApiToken {
  const colon = entry.indexOf(':');
  const caller = colon === -1 ? undefined : entry.slice(0, colon);
  const text = entry.slice(colon + 1);
  if (caller !== undefined && !CALLER.test(caller))
    throw new Error(
      `must hold \`token\` or \`name:token\`; number ${index + 1}: a name has 1 to 64 letters, digits, \`.\`, \`_\` and \`-\`, and a token with a colon needs a name before it`,
    );
  if (!TOKEN.test(text))
    throw new Error(
      `must hold tokens of visible ASCII characters without spaces; number ${index + 1} is not one`,
    );
  return { text, caller };
}

/** The index of the first token that an earlier entry gives to another caller. */
export function clashOf(tokens: readonly ApiToken[]): number | undefined {
  const callers = new Map<string, string | undefined>();
  for (const [index, { text, caller }] of tokens.entries()) {
    if (callers.has(text) && callers.get(text) !== caller) return index;
    callers.set(text, caller);
  }
  return undefined;
}
