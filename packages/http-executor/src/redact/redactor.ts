import { isUtf8 } from 'node:buffer';
import type { ResponseHeaders } from '@gatehouse/contracts';
import { Refusal } from '../errors.ts';
import type { RedactionRules } from './header-names.ts';
import { REDACTED, type Scrubbed, scrubText } from './scrub.ts';
import { scrubJson } from './scrub-json.ts';
import { prepareSearch, type Search, SearchStopped } from './search.ts';
import { type Credentials, credentialsIn, MAX_SECRETS } from './secrets.ts';

/** Redacts everything from an upstream before a caller or a log sees it. */
export interface Redactor {
  readonly credentials: Credentials;
  readonly search: Search | undefined;
  text(text: string): string;
  /** Masks credential headers, decodes UTF-8, and redacts secrets in all other names and values. */
  headers(headers: ResponseHeaders): ResponseHeaders;
  /** Number of echoes in `text` and `headers` so far. */
  count(): number;
}

/**
 * Returns a function that creates the redactor of a request. That function throws a `Refusal` of
 * `InvalidAction` if the headers contain more than 64 secrets.
 */
export function redactorFactory(rules: RedactionRules) {
  return (requestHeaders: ReadonlyMap<string, string>): Redactor => {
    const credentials = credentialsIn(requestHeaders, rules.isCredential);
    if (credentials.secrets.length > MAX_SECRETS) throw tooManySecrets();
    const search = prepareSearch(credentials);
    let count = 0;
    const counted = <T>({ result, redactions }: Scrubbed<T>): T => {
      count += redactions;
      return result;
    };
    return {
      credentials,
      search,
      text: (text) => orElse(REDACTED, () => counted(scrubText(search, Buffer.from(text), false))),
      headers: (headers) => {
        const shown = maskHeaders(headers, rules);
        if (search === undefined) return shown;
        const json = Buffer.from(JSON.stringify(shown));
        const scrub = () => counted(scrubJson(search, json));
        const clean = orElse(NO_HEADERS, scrub);
        return clean === json ? shown : JSON.parse(clean.toString());
      },
      count: () => count,
    };
  };
}

const NO_HEADERS = Buffer.from('{}');

/** Returns the mask if the search takes too long or finds too much. */
function orElse<T>(mask: T, scrub: () => T): T {
  try {
    return scrub();
  } catch (error) {
    if (error instanceof SearchStopped) return mask;
    throw error;
  }
}

function tooManySecrets(): Refusal {
  const message = `must contain at most ${MAX_SECRETS} credentials; send fewer cookies or parameters`;
  return new Refusal('InvalidAction', `Correct \`/headers\`: it ${message}.`, [
    { pointer: '/headers', message },
  ]);
}

function maskHeaders(headers: ResponseHeaders, rules: RedactionRules): ResponseHeaders {
  const shown: ResponseHeaders = {};
  for (const name of Object.keys(headers)) {
    if (!rules.isShown(name)) continue;
    const received = headers[name] ?? '';
    const value = rules.isCredential(name)
      ? REDACTED
      : Array.isArray(received)
        ? received.map(decoded)
        : decoded(received);
    // An assignment would set the prototype, and `Object.fromEntries` takes three times as long.
    if (name === '__proto__') Object.defineProperty(shown, name, { value, enumerable: true });
    else shown[name] = value;
  }
  return shown;
}

/** Decodes a latin1 value whose bytes are valid UTF-8. */
function decoded(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : value;
}
