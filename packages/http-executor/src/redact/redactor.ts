import { isUtf8 } from 'node:buffer';
import type { ResponseHeaders } from '@gatehouse/contracts';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../errors.ts';
import type { RedactionRules } from './header-names.ts';
import { REDACTED, type Scrubbed, scrubSentence } from './scrub.ts';
import { scrubJson } from './scrub-json.ts';
import { prepareSearch, type Search } from './search.ts';
import { MAX_SECRETS, secretsIn } from './secrets.ts';
import { spellingsOf } from './spellings.ts';

/** The single way out: nothing of an upstream reaches a caller or a log but through it. */
export interface Redactor {
  /** What bodies are searched for; empty when the request has no secret. */
  readonly secrets: readonly string[];
  /** The same, prepared; absent when the request has no secret. */
  readonly search: Search | undefined;
  /** Scrubs a sentence that may repeat the upstream or the caller. */
  text(text: string): string;
  /** The headers as JSON: credentials are masked, the other values scrubbed, then decoded. */
  headers(headers: ResponseHeaders): string;
  /** How many echoes were scrubbed here so far. */
  count(): number;
}

/** Cached by credentials, since it is costly to prepare. */
interface Known {
  readonly secrets: readonly string[];
  readonly search: Search | undefined;
}

const MAX_KNOWN_CHARS = 4 * 1024 * 1024;
/** What an entry takes besides its texts. */
const ENTRY_CHARS = 256;

function tooManySecrets(): Refusal {
  const message = `must hold at most ${MAX_SECRETS} credentials; send fewer cookies or parameters`;
  return new Refusal('InvalidAction', `Correct \`/headers\`: it ${message}.`, [
    { pointer: '/headers', message },
  ]);
}

/**
 * Makes a function that makes the redactor of a request.
 * @throws {Refusal} `InvalidAction` (the function does) when headers hold over 64 secrets.
 */
export function redactorFactory({ isCredential, isShown }: RedactionRules) {
  const known = new LRUCache<string, Known>({ maxSize: MAX_KNOWN_CHARS, sizeCalculation: sizeOf });

  const recall = (headers: ReadonlyMap<string, string>): Known => {
    let held = '';
    for (const [name, value] of headers) if (isCredential(name)) held += `${name}:${value}\n`;
    const earlier = known.get(held);
    if (earlier !== undefined) return earlier;
    const secrets = secretsIn(headers, isCredential);
    if (secrets.length > MAX_SECRETS) throw tooManySecrets();
    const entry = secrets.length === 0 ? NOTHING : { secrets, search: searchFor(secrets) };
    known.set(held, entry);
    return entry;
  };
  return (headers: ReadonlyMap<string, string>): Redactor =>
    createRedactor(recall(headers), { isCredential, isShown });
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
  const text = (sentence: string): string =>
    search === undefined ? sentence : counted(scrubSentence(search, sentence));
  const headers = (input: ResponseHeaders): string => {
    const json = JSON.stringify(maskHeaders(input, rules));
    return showUtf8(search === undefined ? json : counted(scrubJson(search, json)));
  };
  return { secrets, search, text, headers, count: () => count };
}

const JSON_STRING = /"(?:[^"\\]|\\.)*"/g;

/** Values that are UTF-8 throughout show as such, others in latin1, as they came. */
function showUtf8(json: string): string {
  if (!/[\x80-\xff]/.test(json)) return json;
  return json.replace(JSON_STRING, (value) => {
    const bytes = Buffer.from(value, 'latin1');
    return isUtf8(bytes) ? bytes.toString() : value;
  });
}

function maskHeaders(headers: ResponseHeaders, rules: RedactionRules): ResponseHeaders {
  const shown: ResponseHeaders = {};
  for (const name of Object.keys(headers)) {
    if (!rules.isShown(name)) continue;
    const value = rules.isCredential(name) ? REDACTED : (headers[name] as string | string[]);
    // An assignment would set the prototype; `Object.fromEntries` takes three times as long.
    if (name === '__proto__') Object.defineProperty(shown, name, { value, enumerable: true });
    else shown[name] = value;
  }
  return shown;
}
