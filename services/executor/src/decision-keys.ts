import { isDeepStrictEqual } from 'node:util';
import { type Reloadable, readRegularFile, reloadable } from '@gatehouse/config-file';
import { SIGNATURE_ALGORITHM } from '@gatehouse/contracts';
import { isSecure } from '@gatehouse/contracts/action';
import { parseExact } from '@gatehouse/contracts/json';
import type { DecisionKeys } from '@gatehouse/http-executor';
import type { Logger } from '@gatehouse/service';
import type { JWK } from 'jose';

const FETCH_EVERY_MS = 5 * 60_000;
/** Shortest time between two fetches for keys that are missing. */
const FETCH_AGAIN_MS = 10_000;
const FETCH_TIMEOUT_MS = 5_000;

/** Origin of the policy service's public keys. */
type KeySource = { readonly path: string } | { readonly url: URL };

/** Parses the setting HTTP_EXECUTOR_DECISION_KEYS. @throws Error that begins with a verb */
export function keySource(text: string): KeySource {
  if (text === '') throw new Error('is empty; leave it unset to require no decision tokens');
  if (!/^https?:/i.test(text)) return keyFileSource(text);

  const url = URL.parse(text);
  if (url !== null && isSecure(url) && url.username + url.password + url.hash === '')
    return { url };
  throw new Error('must be a path, or an https URL (http to loopback) without credentials');
}

function keyFileSource(path: string): KeySource {
  try {
    readKeySet(readRegularFile(path));
    return { path };
  } catch (error) {
    throw new Error(`must name a file with a JSON Web Key Set: ${(error as Error).message}`);
  }
}

/** Lists the Ed25519 keys of a JSON Web Key Set by id. @throws Error if it is not a key set */
function readKeySet(content: Buffer): ReadonlyMap<string, JWK> {
  const { keys } = Object(parseExact(content));
  if (!Array.isArray(keys)) throw new Error('it has no list `keys`');

  const usable = keys.map(Object).filter(isUsable);
  return new Map(usable.map(({ kty, crv, x, kid }) => [String(kid), { kty, crv, x } as JWK]));
}

const PUBLIC_KEY = /^[\w-]{43}$/;

const isUsable = ({ kty, crv, x = '', kid, use = 'sig', alg = SIGNATURE_ALGORITHM, d }: JWK) =>
  kty === 'OKP' &&
  crv === 'Ed25519' &&
  PUBLIC_KEY.test(x) &&
  typeof kid === 'string' &&
  use === 'sig' &&
  (alg === SIGNATURE_ALGORITHM || alg === 'EdDSA') &&
  d === undefined;

/** Keys from a file or a URL. The last good key set stays in force. */
export class FoundKeys implements DecisionKeys {
  readonly #source: KeySource;
  readonly #logger: Logger;
  #known: ReadonlyMap<string, JWK> = new Map();
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(source: KeySource, logger: Logger) {
    this.#source = source;
    this.#logger = logger;
    if ('path' in source) this.#use(readKeySet(readRegularFile(source.path)));
  }

  get isUsable(): boolean {
    if (this.#known.size === 0) void this.#fetchIfDue();
    return this.#known.size > 0;
  }

  async find(kid: string): Promise<JWK | undefined> {
    if (!this.#known.has(kid)) await this.#fetchIfDue();
    return this.#known.get(kid);
  }

  /** Follows changes of the file, or fetches the URL now and every five minutes. */
  follow(): Reloadable {
    const source = this.#source;
    if ('path' in source)
      return reloadable({
        path: source.path,
        read: (readFile) => readKeySet(readFile(source.path)),
        apply: (keys) => this.#use(keys),
        failed: (error) => this.#report(error),
      });

    void this.#fetch(source.url);
    const timer = setInterval(() => void this.#fetch(source.url), FETCH_EVERY_MS).unref();
    return {
      readAgain: () => void this.#fetch(source.url),
      stop: () => clearInterval(timer),
    };
  }

  #use(keys: ReadonlyMap<string, JWK>): void {
    if (keys.size === 0) this.#report(new Error('it has no usable Ed25519 key'));
    if (keys.size === 0 || isDeepStrictEqual(keys, this.#known)) return;

    this.#known = keys;
    this.#logger.info({ keys: [...keys.keys()] }, 'decision keys changed');
  }

  #report({ message, cause }: Error): void {
    // The message of `fetch` says only that it failed.
    const reason = cause instanceof Error ? cause.message || String(cause) : message;
    this.#logger.error({ reason }, 'decision keys unavailable; the last good ones stay in force');
  }

  async #fetchIfDue(): Promise<void> {
    if (!('url' in this.#source)) return;
    if (performance.now() - this.#fetchedAt < FETCH_AGAIN_MS) return this.#fetching;
    await this.#fetch(this.#source.url);
  }

  #fetch(url: URL): Promise<void> {
    this.#fetchedAt = performance.now();
    this.#fetching = fetchKeySet(url)
      .then((keys) => this.#use(keys))
      .catch((error) => this.#report(error));
    return this.#fetching;
  }
}

async function fetchKeySet(url: URL): Promise<ReadonlyMap<string, JWK>> {
  const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
  const response = await fetch(url, { redirect: 'error', signal });
  const content = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`the key server answered ${response.status}`);
  return readKeySet(content);
}
