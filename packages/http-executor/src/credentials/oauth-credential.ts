import { failure, type Result, success } from '@gatehouse/contracts';
import { secretsOfCredential } from '../secrets/secrets.ts';
import {
  type Credential,
  type CredentialHeader,
  credentialHeader,
  type Secret,
  toLatin1,
  type Unavailable,
} from './credential.ts';
import { readSecret } from './secret-file.ts';
import { type OAuthSource, requestToken, type TokenDeps } from './token-request.ts';

/** Access token. All times are in milliseconds on the executor's clock. */
interface Token {
  readonly header: CredentialHeader;
  readonly issuedAt: number;
  readonly renewAt: number;
  readonly expiresAt: number;
}

/** State for one client secret. A new secret starts with an empty state. */
interface Client extends Secret {
  readonly secret: string;
  token?: Token | undefined;
  refusal?: { readonly reason: Unavailable; readonly until: number };
  fetching?: Promise<Result<CredentialHeader, Unavailable>> | undefined;
}

function clientFor(secret: string): Client {
  const value = toLatin1(secret);
  const secrets = secretsOfCredential({ name: 'client_secret', value, secret: value });
  return { secret, secrets };
}

/** Renew a token one minute before it expires, or after 90% of its lifetime if that is later. */
const RENEW_BEFORE_MS = 60_000;

/** A 401 for a newer token says nothing about the token, and would waste the tokens of others. */
const MIN_DISCARD_AGE_MS = 30_000;

/**
 * Credential that fetches OAuth tokens and keeps them in memory (docs/destinations.md,
 * "Credentials").
 */
export class OAuthCredential implements Credential {
  readonly name: string;
  readonly headerName = 'authorization';
  readonly #source: OAuthSource;
  readonly #secretPath: string;
  readonly #deps: TokenDeps;
  #client: Client | undefined;

  constructor(name: string, source: OAuthSource, secretPath: string, deps: TokenDeps) {
    this.name = name;
    this.#source = source;
    this.#secretPath = secretPath;
    this.#deps = deps;
  }

  /**
   * Returns a header with a valid token. Concurrent calls share one token request. A token that
   * expires soon is renewed in the background, so that no execution waits for a slow endpoint.
   */
  async header(): Promise<Result<CredentialHeader, Unavailable>> {
    const opened = this.#open();
    if (!opened.ok) return opened;
    const client = opened.value;
    const { token } = client;
    const now = this.#deps.clock.now();
    if (token === undefined || now >= token.expiresAt) return this.#renew(client, now);
    if (now >= token.renewAt) this.#renew(client, now).catch(() => {});
    return success(token.header);
  }

  discard(refused: CredentialHeader): boolean {
    const client = this.#client;
    if (client?.token?.header !== refused) return true;
    if (this.#deps.clock.now() - client.token.issuedAt <= MIN_DISCARD_AGE_MS) return false;
    client.token = undefined;
    return true;
  }

  /** Includes the client secret, because the API of a token endpoint may show it. */
  current(): readonly Secret[] {
    this.#open();
    const client = this.#client;
    if (client === undefined) return [];
    return client.token === undefined ? [client] : [client, client.token.header];
  }

  /** Returns the client for the secret that is in the file now. */
  #open(): Result<Client, Unavailable> {
    const read = readSecret(this.#secretPath);
    if (!read.ok) return read;
    if (read.value !== this.#client?.secret) this.#client = clientFor(read.value);
    return success(this.#client);
  }

  async #renew(client: Client, now: number): Promise<Result<CredentialHeader, Unavailable>> {
    const { refusal } = client;
    if (refusal !== undefined && now < refusal.until) {
      const retryAfterS = Math.ceil((refusal.until - now) / 1_000);
      return failure({ ...refusal.reason, retryAfterS });
    }
    client.fetching ??= this.#fetch(client).finally(() => {
      client.fetching = undefined;
    });
    return client.fetching;
  }

  async #fetch(client: Client): Promise<Result<CredentialHeader, Unavailable>> {
    const { clock } = this.#deps;
    const started = clock.now();
    const answer = await requestToken(this.#source, client.secret, this.#deps);
    const issuedAt = clock.now();
    if (!answer.ok) {
      const { retryAfterS } = answer.reason;
      // Only an answer of the endpoint has `retryAfterS`. It may be reachable again at once.
      if (retryAfterS !== undefined)
        client.refusal = { reason: answer.reason, until: issuedAt + retryAfterS * 1_000 };
      return answer;
    }

    const { text, lifetimeMs } = answer.value;
    const header = credentialHeader(this.headerName, `Bearer ${text}`, text);
    const expiresAt = started + lifetimeMs;
    const renewAt = expiresAt - Math.min(RENEW_BEFORE_MS, lifetimeMs / 10);
    client.token = { header, issuedAt, renewAt, expiresAt };
    return success(header);
  }
}
