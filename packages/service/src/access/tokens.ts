import { timingSafeEqual } from 'node:crypto';
import { splitList } from '../settings.ts';

/** Shorter tokens work, as for a test, with a warning. */
const GUESSABLE_LENGTH = 16;

/** Visible ASCII without a comma, which separates tokens. */
const TOKEN = /^[\x21-\x2b\x2d-\x7e]+$/;

/** The token of an `authorization` header (RFC 6750 section 2.1). */
const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

const LENGTH_BYTES = 4;

/**
 * The tokens that a service takes; they cannot be read back (docs/decisions/0017). Each is
 * padded to one width and followed by its length: compared in constant time, without digests.
 */
export class Tokens {
  readonly #slots: readonly Buffer[];
  readonly #offered: Buffer;
  readonly #short: number;

  /** INVARIANT: at least one token, each as `parseTokens` gives them. */
  constructor(tokens: readonly string[]) {
    const distinct = [...new Set(tokens)];
    const width = Math.max(...distinct.map(({ length }) => length));
    this.#slots = distinct.map((token) => fill(Buffer.alloc(width + LENGTH_BYTES), token));
    this.#offered = Buffer.alloc(width + LENGTH_BYTES);
    this.#short = distinct.filter(({ length }) => length < GUESSABLE_LENGTH).length;
  }

  /** Whether a header holds one of the tokens; in constant time. */
  accept(authorization: string | undefined): boolean {
    const offered = BEARER.exec(authorization ?? '')?.[1];
    if (offered === undefined) return false;
    fill(this.#offered, offered);
    let found = false;
    for (const slot of this.#slots) found = timingSafeEqual(slot, this.#offered) || found;
    return found;
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
export function offersToken(authorization: string | undefined): boolean {
  return authorization !== undefined && BEARER.test(authorization);
}

/** Tokens separated by commas or line ends. @throws Error that shows no token */
export function parseTokens(text: string): readonly string[] {
  const tokens = splitList(text.replaceAll('\n', ','));
  if (tokens.length === 0)
    throw new Error('must hold at least one token; leave it unset to serve any caller');
  const bad = tokens.findIndex((token) => !TOKEN.test(token));
  if (bad >= 0) {
    throw new Error(
      `must hold tokens of visible ASCII characters, without spaces; number ${bad + 1} is not one`,
    );
  }
  return tokens;
}
