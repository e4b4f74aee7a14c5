import { timingSafeEqual } from 'node:crypto';
import { splitList } from '../settings.ts';

/** Shorter tokens work, as for a test, with a warning. */
const GUESSABLE_LENGTH = 16;

/** Visible ASCII without a comma, which separates tokens. */
const TOKEN = /^[\x21-\x2b\x2d-\x7e]+$/;

/** Short and plain: it becomes the value of a label. */
const CALLER = /^[A-Za-z0-9._-]{1,64}$/;

/** The token of an `authorization` header (RFC 6750 section 2.1). */
const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

const LENGTH_BYTES = 4;

export interface Token {
  readonly text: string;
  /** Undefined: it has no name. */
  readonly caller: string | undefined;
}

interface Slot {
  readonly bytes: Buffer;
  readonly caller: string | undefined;
}

/**
 * The tokens that a service takes; they cannot be read back (docs/decisions/0017). Each is
 * padded to one width and followed by its length: compared in constant time, without digests.
 */
export class Tokens {
  readonly #slots: readonly Slot[];
  readonly #offered: Buffer;
  readonly #short: number;

  /** INVARIANT: at least one token, each as `parseTokens` gives them. */
  constructor(tokens: readonly Token[]) {
    const distinct = [...new Map(tokens.map((token) => [token.text, token])).values()];
    const width = Math.max(...distinct.map(({ text }) => text.length));
    const empty = () => Buffer.alloc(width + LENGTH_BYTES);
    this.#slots = distinct.map(({ text, caller }) => ({ bytes: fill(empty(), text), caller }));
    this.#offered = empty();
    this.#short = distinct.filter(({ text }) => text.length < GUESSABLE_LENGTH).length;
  }

  /** Whose token a header holds, in constant time; undefined: no token of these. */
  accept(authorization: string | undefined): Pick<Token, 'caller'> | undefined {
    const offered = BEARER.exec(authorization ?? '')?.[1];
    if (offered === undefined) return undefined;
    fill(this.#offered, offered);
    let found: Slot | undefined;
    for (const slot of this.#slots)
      found = timingSafeEqual(slot.bytes, this.#offered) ? slot : found;
    return found;
  }

  /** The names of all that have one. */
  get callers(): ReadonlySet<string> {
    return new Set(this.#slots.flatMap(({ caller }) => caller ?? []));
  }

  /** A warning for the start, if any. */
  get weakness(): string | undefined {
    if (this.#short === 0) return undefined;
    return `${this.#short} of ${this.#slots.length} API tokens have less than ${GUESSABLE_LENGTH} characters and may be guessed`;
  }
}

function fill(slot: Buffer, token: string): Buffer {
  const width = slot.length - LENGTH_BYTES;
  slot.fill(0).write(token, 0, width, 'latin1');
  slot.writeUInt32LE(token.length, width);
  return slot;
}

/** Whether a header has a bearer token, right or wrong. */
export const offersToken = (authorization = ''): boolean => BEARER.test(authorization);

/** Tokens separated by commas or line ends. @throws Error that shows no token */
export function parseTokens(text: string): readonly Token[] {
  const entries = entriesOf(text);
  if (entries.length === 0)
    throw new Error('must hold at least one token; leave it unset to serve any caller');
  const tokens = entries.map(parseToken);
  const clash = clashOf(tokens);
  if (clash !== undefined)
    throw new Error(
      `must give each token to one caller; ${entries[clash]?.place} repeats the token of another`,
    );
  return tokens;
}

interface Entry {
  readonly text: string;
  /** `number 2` of a list, `line 2` of several lines. */
  readonly place: string;
}

function entriesOf(text: string): readonly Entry[] {
  const lines = text.trimEnd().split('\n');
  const placed = lines.flatMap((line, at) => splitList(line).map((entry) => [entry, at] as const));
  return placed.map(([entry, line], number) => ({
    text: entry,
    place: lines.length === 1 ? `number ${number + 1}` : `line ${line + 1}`,
  }));
}

/** Up to the first colon it is a name, which no token is taken for by mistake. */
function parseToken({ text: entry, place }: Entry): Token {
  const colon = entry.indexOf(':');
  const caller = colon === -1 ? undefined : entry.slice(0, colon);
  const text = entry.slice(colon + 1);
  const isNamed = caller === undefined || CALLER.test(caller);
  if (isNamed && TOKEN.test(text)) return { text, caller };
  if (entry.startsWith('#'))
    throw new Error(`must hold tokens only; ${place}: comments are not supported`);
  if (!isNamed)
    throw new Error(
      `must hold \`token\` or \`name:token\`; ${place}: a name has 1 to 64 letters, digits, \`.\`, \`_\` and \`-\`, and a token with a colon needs a name before it`,
    );
  throw new Error(
    `must hold tokens of visible ASCII characters without spaces; ${place} is not one`,
  );
}

/** The index of the first token that an earlier entry gives to another caller. */
export function clashOf(tokens: readonly Token[]): number | undefined {
  const callers = new Map<string, string | undefined>();
  for (const [at, { text, caller }] of tokens.entries()) {
    if (callers.has(text) && callers.get(text) !== caller) return at;
    callers.set(text, caller);
  }
  return undefined;
}
