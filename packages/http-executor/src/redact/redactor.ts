import type { ResponseHeaders } from '@gatehouse/contracts';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../errors.ts';
import type { IsCredentialHeader } from './header-names.ts';
import { REDACTED, type Scrubbed, scrubCutText, scrubJson, scrubText } from './scrub.ts';
import { prepareSearch, type Search } from './search.ts';
import { MAX_SECRETS, secretsIn } from './secrets.ts';
import { spellingsOf } from './spellings.ts';

/** Which headers show as what. */
export interface RedactionRules {
  readonly isCredential: IsCredentialHeader;
  /** In strict mode only these response headers appear at all. */
  readonly isShown: (name: string) => boolean;
}

/**
 * The single way out: whatever an upstream said passes through here before a caller or a
 * log sees it.
 */
export interface Redactor {
  /**
   * What bodies are searched for, for another thread; empty when the request has no
   * secret.
   */
  readonly secrets: readonly string[];
  /** The same, prepared; absent when the request has no secret. */
  readonly search: Search | undefined;
  /** A sentence of ours that may repeat what the upstream or the caller said. */
  text(text: string): string;
  /**
   * The headers as JSON: those of credentials are masked, the others scrubbed. Values are
   * in latin1.
   */
  headers(headers: ResponseHeaders): string;
  /** How many echoes were scrubbed here so far. */
  count(): number;
}

/**
 * What a request with the same credentials has found out before: building it costs more
 * than looking it up.
 */
interface Known {
  readonly secrets: readonly string[];
  readonly search: Search | undefined;
}

const MAX_KNOWN_CHARS = 4 * 1024 * 1024;
/** What an entry takes besides its texts. */
const ENTRY_CHARS = 256;

/** Searching for very many would hold up other callers. */
function tooManySecrets(): Refusal {
  const message = `must hold at most ${MAX_SECRETS} credentials; send fewer cookies or parameters`;
  return new Refusal('InvalidAction', `Correct \`/headers\`: it ${message}.`, [
    { pointer: '/headers', message },
  ]);
}

/**
 * Makes the redactors of requests, and keeps the searches for their credentials, bounded.
 * What it makes throws an `InvalidAction` refusal for headers with more than 64 secrets.
 */
export function redactorFactory({ isCredential, isShown }: RedactionRules) {
  const known = new LRUCache<string, Known>({ maxSize: MAX_KNOWN_CHARS, sizeCalculation: sizeOf });

  const recall = (headers: ReadonlyMap<string, string>): Known => {
    let held = '';
    for (const [name, value] of headers) if (isCredential(name)) held += `${name}:${value}\n`;
    if (held === '') return NOTHING;
    const earlier = known.get(held);
    if (earlier !== undefined) return earlier;
    const secrets = secretsIn(headers, isCredential);
    if (secrets.length > MAX_SECRETS) throw tooManySecrets();
    const entry = secrets.length === 0 ? NOTHING : { secrets, search: searchFor(secrets) };
    known.set(held, entry);
    return entry;
  };
  return (headers: ReadonlyMap<string, string>): Redactor => {
    return createRedactor(recall(headers), { isCredential, isShown });
  };
}

/** A prepared search for all spellings of these secrets. */
export function searchFor(secrets: readonly string[]): Search {
  return prepareSearch(secrets.flatMap(spellingsOf));
}

const NOTHING: Known = { secrets: [], search: undefined };

function sizeOf({ search }: Known, held: string): number {
  return (search?.spellings ?? []).reduce(
    (size, { text }) => size + text.length,
    ENTRY_CHARS + held.length,
  );
}

function createRedactor({ secrets, search }: Known, rules: RedactionRules): Redactor {
  let count = 0;
  const counted = ({ text, redactions }: Scrubbed): string => {
    count += redactions;
    return text;
  };
  const text = (input: string): string => {
    if (search === undefined) return input;
    const part = input.slice(0, MAX_SENTENCE_CHARS);
    const bytes = ASCII.test(part) ? part : Buffer.from(part).toString('latin1');
    const scrubbed = counted(
      (part.length < input.length ? scrubCutText : scrubText)(search, bytes),
    );
    return scrubbed === bytes ? part : Buffer.from(scrubbed, 'latin1').toString();
  };
  const headers = (input: ResponseHeaders): string => {
    const json = JSON.stringify(masked(input, rules));
    return search === undefined ? json : counted(scrubJson(search, json));
  };
  return { secrets, search, text, headers, count: () => count };
}

/** A longer one is cut: it repeats more of what others said than anyone would read. */
const MAX_SENTENCE_CHARS = 8 * 1024;

const ASCII = /^[\0-\x7f]*$/;

function masked(
  headers: ResponseHeaders,
  { isCredential, isShown }: RedactionRules,
): ResponseHeaders {
  const shown: ResponseHeaders = {};
  for (const name of Object.keys(headers)) {
    if (!isShown(name)) continue;
    const value = isCredential(name) ? REDACTED : (headers[name] ?? '');
    // Set, it would become the prototype.
    if (name === '__proto__') Object.defineProperty(shown, name, { value, enumerable: true });
    else shown[name] = value;
  }
  return shown;
}
