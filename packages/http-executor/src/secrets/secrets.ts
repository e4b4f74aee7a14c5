import { pointerToken } from '@gatehouse/contracts';
import { MIN_SECRET_CHARS } from '../limits.ts';
import { latin1ToUtf8 } from '../text.ts';

/** Secrets in all forms in which an upstream may echo them, apart from escapes. */
export interface Secrets {
  /** Number of secrets, each with one or more spellings. */
  readonly count: number;
  readonly spellings: readonly Buffer[];
  /** Number of bytes of the longest spelling if every byte is escaped. */
  readonly longest: number;
}

export const NO_SECRETS: Secrets = { count: 0, spellings: [], longest: 0 };

/** Maximum number of secrets in an action. Each one adds to the time for searching a response. */
export const MAX_SECRETS = 16;

/** Length of `\u0041`, the longest escape of a single byte. */
const MAX_ESCAPE_BYTES = 6;

/** A header that authenticates a request. Both `value` and `secret` are latin1 strings. */
interface CredentialHeader {
  readonly name: string;
  readonly value: string;
  readonly secret: string;
}

/** Lists the secrets in the headers of an action (docs/executor-security.md, "Echoed secrets"). */
export function secretsOfHeaders(
  headers: ReadonlyMap<string, string>,
  isCredential: (name: string) => boolean,
): Secrets {
  const found = new SpellingList();
  for (const [name, value] of headers) {
    if (isCredential(name)) found.addHeader(name, value);
  }
  return found.toSecrets();
}

/** Lists the secrets in a header that the executor adds, and the secret that it was built from. */
export function secretsOfCredential({ name, value, secret }: CredentialHeader): Secrets {
  const found = new SpellingList();
  // The operator may have put a scheme into a header with another name, or into a token file.
  for (const text of [value, secret])
    for (const header of [name, 'authorization']) found.addHeader(header, text);
  if (name === 'cookie') for (const cookie of cookieValues(value)) found.add(cookie);
  return found.toSecrets();
}

export function joinSecrets(one: Secrets, other: Secrets): Secrets {
  return {
    count: one.count + other.count,
    spellings: [...one.spellings, ...other.spellings],
    longest: Math.max(one.longest, other.longest),
  };
}

const cookieValues = (header: string): string[] =>
  header.split(';').map((pair) =>
    pair
      .slice(pair.indexOf('=') + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1'),
  );

/** Matches a scheme and the credentials after it (RFC 9110, section 11.4). */
const SCHEME_AND_REST = /^([\w!#$%&'*+.^`|~-]+)[ \t]+(.+)$/;

/** Collects secrets and their spellings. All strings are latin1, like header values. */
class SpellingList {
  readonly #secrets = new Set<string>();
  readonly #spellings = new Set<string>();

  /** Adds what follows the scheme in `authorization`, or the whole value of another header. */
  addHeader(name: string, value: string): void {
    const [, scheme = '', rest = value] =
      (name === 'authorization' && SCHEME_AND_REST.exec(value)) || [];
    const before = this.#secrets.size;
    this.add(rest);
    if (scheme.toLowerCase() === 'basic') this.#addLogin(rest);
    if (this.#secrets.size > before) this.#addBase64(value);
  }

  add(secret: string): void {
    if (charactersOf(secret) < MIN_SECRET_CHARS) return;
    this.#secrets.add(secret);
    for (const form of formsOf(secret)) this.#addSpelling(form);
    this.#addBase64(secret);
  }

  /** Adds the password of a Basic login, or the user name if a key is sent in its place. */
  #addLogin(encoded: string): void {
    const login = Buffer.from(encoded, 'base64').toString('latin1');
    const [, user = login, password = ''] = /^(.*?):(.*)$/s.exec(login) ?? [];
    this.add(password === '' ? user : password);
    this.#addBase64(login);
  }

  /** Adds base64 and base64url without padding, which occurs in text with padding too. */
  #addBase64(text: string): void {
    const base64 = Buffer.from(text, 'latin1').toString('base64').replace(/=+$/, '');
    this.#addSpelling(base64);
    this.#addSpelling(base64.replaceAll('+', '-').replaceAll('/', '_'));
  }

  #addSpelling(text: string): void {
    if (text.length >= MIN_SECRET_CHARS) this.#spellings.add(text);
  }

  toSecrets(): Secrets {
    if (this.#secrets.size === 0) return NO_SECRETS;
    const spellings = [...this.#spellings].map((text) => Buffer.from(text, 'latin1'));
    const longest = MAX_ESCAPE_BYTES * Math.max(...spellings.map(({ length }) => length));
    return { count: this.#secrets.size, spellings, longest };
  }
}

/**
 * Lists the forms of a secret: as sent, with `+` for spaces as in forms, as in a JSON Pointer,
 * without percent escapes as in a parsed cookie, and in other charsets.
 */
function formsOf(secret: string): string[] {
  const parsed = secret.replace(PERCENT_ESCAPE, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const form = secret.replaceAll(' ', '+');
  return [secret, form, pointerToken(secret), parsed, ...inOtherCharsets(secret)];
}

const PERCENT_ESCAPE = /%([\da-f]{2})/gi;

/** Returns the UTF-8 bytes of a secret as read in latin1 and written in UTF-8, and its latin1. */
function inOtherCharsets(secret: string): string[] {
  const utf8 = Buffer.from(secret).toString('latin1');
  const text = latin1ToUtf8(secret);
  const isLatin1 = text !== undefined && /^[\0-\xff]*$/.test(text);
  return isLatin1 ? [utf8, text] : [utf8];
}

/** Counts the characters of a secret, or its bytes if the secret is not valid UTF-8. */
const charactersOf = (secret: string): number => (latin1ToUtf8(secret) ?? secret).length;
