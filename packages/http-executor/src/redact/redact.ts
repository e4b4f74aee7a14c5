import type { BodyType, ResponseHeaders, Violation } from '@gatehouse/contracts';
import type { CredentialHeader } from '../credentials/credential.ts';
import { type Beginning, type Decoded, toJson } from '../decode/decode.ts';
import { Refusal } from '../errors.ts';
import { shorten } from '../text.ts';
import { maskHeaders, type RedactionRules } from './response-headers.ts';
import { REDACTED, scrubBytes, scrubText, type Tally } from './scrub.ts';
import { scrubJson } from './scrub-json.ts';
import { listSpellings, SearchStopped, type Spellings, withLowerCase } from './search.ts';
import { joinSecrets, MAX_SECRETS, secretsOfCredential, secretsOfRequest } from './secrets.ts';

export type RedactedBody = WholeBody | Excerpt | Withheld;

interface WholeBody {
  readonly kind: BodyType;
  /** The redacted body as JSON. If `kind` is `text` or `base64`, the JSON is a single string. */
  readonly json: Uint8Array;
  readonly violations: readonly Violation[];
  readonly redactions: number;
}

interface Excerpt {
  readonly kind: 'excerpt';
  readonly text: string;
  /** Completes the sentence "the response body is …". */
  readonly reason: string;
  readonly redactions: number;
}

/** A body that must not be shown at all. */
interface Withheld {
  readonly kind: 'withheld';
  /** Completes the sentence "the response body …". */
  readonly reason: string;
}

export const withheld = (reason: string): Withheld => ({ kind: 'withheld', reason });

/** Returns a body as JSON without its secrets. @throws {SearchStopped} */
export function redactBody(body: Decoded, spellings: Spellings, tally: Tally): Buffer {
  if (body.kind === 'json')
    return spellings.length === 0 ? body.document : scrubJson(spellings, body.document, tally);
  if (body.kind === 'text')
    return toJson({ kind: 'text', text: scrubText(spellings, Buffer.from(body.text), tally) });
  return toJson({ kind: 'base64', bytes: scrubBytes(spellings, body.bytes, tally) });
}

/** Returns an excerpt of a body without its secrets. @throws {SearchStopped} */
export function redactBeginning(beginning: Beginning, spellings: Spellings): Excerpt {
  const { bytes, cut, reason, textChars } = beginning;
  const tally = { redactions: 0 };
  const text = shorten(scrubText(spellings, bytes, tally, cut), textChars);
  return { kind: 'excerpt', text, reason, ...tally };
}

const TOO_MANY_SECRETS: Violation = {
  pointer: '/headers',
  message: `must not contain more than ${MAX_SECRETS} secrets, such as session cookies; leave out those that the upstream does not need`,
};

/** Redacts messages and headers. Bodies are redacted by `redactBody`, often on another thread. */
export interface Redactor {
  readonly secretCount: number;
  /** Spellings of the secrets to search for in bodies. */
  readonly spellings: Spellings;
  /** True if the executor added a credential that must not be revealed to the caller. */
  readonly hidesCredential: boolean;
  /** Redacts secrets in a message, including secrets that appear in lower case in a host name. */
  text(text: string): string;
  /** Masks credential headers, and redacts secrets in the names and values of other headers. */
  headers(headers: ResponseHeaders): ResponseHeaders;
  /** Returns how many secrets the methods `text` and `headers` have redacted so far. */
  count(): number;
}

/**
 * Returns a function that creates a redactor from request headers and the added credentials. The
 * returned function throws an `InvalidAction` refusal if the headers contain more than 64 secrets.
 */
export function redactorFactory(rules: RedactionRules) {
  return (
    requestHeaders: ReadonlyMap<string, string>,
    credentials: readonly CredentialHeader[] = [],
  ): Redactor => {
    const ofCaller = secretsOfRequest(requestHeaders, rules.isCredential);
    if (ofCaller.secrets.length > MAX_SECRETS)
      throw new Refusal('InvalidAction', [TOO_MANY_SECRETS]);
    const requestSecrets = credentials.map(secretsOfCredential).reduce(joinSecrets, ofCaller);
    const spellings = listSpellings(requestSecrets);
    const anyCase = withLowerCase(spellings);
    const tally = { redactions: 0 };
    return {
      secretCount: requestSecrets.secrets.length,
      spellings,
      hidesCredential: credentials.length > 0,
      text: (text) => orElse(REDACTED, () => scrubText(anyCase, Buffer.from(text), tally)),
      headers: (headers) => {
        const shown = maskHeaders(headers, rules);
        if (anyCase.length === 0) return shown;
        const json = Buffer.from(JSON.stringify(shown));
        const clean = orElse(NO_HEADERS, () => scrubJson(anyCase, json, tally));
        return clean === json ? shown : JSON.parse(clean.toString());
      },
      count: () => tally.redactions,
    };
  };
}

const NO_HEADERS = Buffer.from('{}');

/** Returns the result of `scrub`, or `fallback` if `scrub` gives up. */
function orElse<T>(fallback: T, scrub: () => T): T {
  try {
    return scrub();
  } catch (error) {
    if (error instanceof SearchStopped) return fallback;
    throw error;
  }
}
