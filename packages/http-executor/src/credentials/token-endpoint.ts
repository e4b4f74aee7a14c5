import type { CredentialSource } from '@gatehouse/contracts';
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  processClientCredentialsResponse,
  ResponseBodyError,
} from 'oauth4webapi';
import { type Clock, DeadlineExceeded, withDeadline } from '../clock.ts';
import { Cancelled } from '../errors.ts';
import { type Transport, TransportError, type TransportFault } from '../transport.ts';
import { readSecret, Unavailable } from './secret-file.ts';

export type OAuthSource = Extract<CredentialSource, { type: 'oauth2_client_credentials' }>;

export interface TokenDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly attemptTimeoutMs: number;
}

/** Access token. `renewAt` and `expiresAt` are in milliseconds on the executor's clock. */
interface Token {
  readonly text: string;
  readonly renewAt: number;
  readonly expiresAt: number;
}

interface Client {
  readonly secret: string;
  token?: Token | undefined;
  fetching?: Promise<Token> | undefined;
}

/** Renew a token one minute before it expires, or after 90% of its lifetime if that is later. */
const RENEW_BEFORE_MS = 60_000;

/** Fetches OAuth tokens (client credentials grant) and reuses each token until it expires. */
export class TokenEndpoint {
  readonly #source: OAuthSource;
  readonly #secretPath: string;
  readonly #deps: TokenDeps;
  #client: Client = { secret: '' };

  constructor(source: OAuthSource, secretPath: string, deps: TokenDeps) {
    this.#source = source;
    this.#secretPath = secretPath;
    this.#deps = deps;
  }

  /**
   * Reads the client secret from its file, and returns a valid token. Concurrent calls share one
   * token request. A token that expires soon is renewed in the background, so that executions do
   * not wait for a slow token endpoint.
   * @throws {Unavailable}
   */
  async token(): Promise<string> {
    const secret = readSecret(this.#secretPath);
    if (secret !== this.#client.secret) this.#client = { secret };
    const client = this.#client;
    const now = this.#deps.clock.now();
    if (client.token === undefined || now >= client.token.expiresAt) return this.#renew(client);
    if (now >= client.token.renewAt) this.#renew(client).catch(() => {});
    return client.token.text;
  }

  async #renew(client: Client): Promise<string> {
    client.fetching ??= this.#fetch(client.secret).finally(() => {
      client.fetching = undefined;
    });
    client.token = await client.fetching;
    return client.token.text;
  }

  discard(text: string): void {
    if (this.#client.token?.text === text) this.#client.token = undefined;
  }

  async #fetch(secret: string): Promise<Token> {
    const { clock, attemptTimeoutMs: ms } = this.#deps;
    const request = (signal: AbortSignal) => this.#request(secret, signal);
    try {
      return await withDeadline(request, { clock, ms });
    } catch (error) {
      if (error instanceof Cancelled) throw error;
      throw new Unavailable(reasonOf(error, ms), { cause: error });
    }
  }

  async #request(secret: string, signal: AbortSignal): Promise<Token> {
    const { token_url, client_id, scopes, auth_method } = this.#source;
    const server = { issuer: new URL(token_url).origin, token_endpoint: token_url };
    const client = { client_id };
    const auth =
      auth_method === 'client_secret_post' ? ClientSecretPost(secret) : basicAuth(secret);
    const parameters = new URLSearchParams(scopes && { scope: scopes.join(' ') });
    const started = this.#deps.clock.now();
    const response = await clientCredentialsGrantRequest(server, client, auth, parameters, {
      // Allowing http is safe, because an http token URL is accepted only if its host is loopback.
      [allowInsecureRequests]: true,
      [customFetch]: (url, init) => this.#post(url, init, signal),
    });
    const answer = await processClientCredentialsResponse(server, client, response).catch((error) =>
      Promise.reject(unusableAnswer(response.status, error)),
    );
    if (answer.token_type !== 'bearer') throw unusableAnswer(response.status, 'token_type');
    if (!TOKEN.test(answer.access_token)) throw unusableAnswer(response.status, 'access_token');
    const lifetimeMs = (answer.expires_in ?? Number.POSITIVE_INFINITY) * 1_000;
    const renewAt = started + lifetimeMs - Math.min(RENEW_BEFORE_MS, lifetimeMs / 10);
    return { text: answer.access_token, renewAt, expiresAt: started + lifetimeMs };
  }

  /** Sends a token request only to an allowed address, and does not follow redirects. */
  async #post(
    url: string,
    { headers, body }: { headers: Record<string, string>; body: URLSearchParams },
    signal: AbortSignal,
  ): Promise<Response> {
    const request = {
      method: 'POST',
      url: new URL(url),
      headers: new Map(Object.entries(headers)),
      body: String(body),
      mayReuse: false,
    } as const;
    const options = { signal, maxBytes: MAX_TOKEN_BYTES };
    const { status, body: received } = await this.#deps.transport(request, options);
    if (received.fault !== undefined) throw unusableAnswer(status, 'body');
    const isJson = { 'content-type': 'application/json' };
    return new Response(status === 204 ? null : usedMembers(received.bytes), {
      status,
      headers: isJson,
    });
  }
}

/**
 * HTTP Basic authentication (RFC 6749, section 2.3.1). Unlike `oauth4webapi`, leaves `-`, `.`, `_`
 * and `~` unencoded, because some servers do not decode client ids and secrets.
 */
const basicAuth =
  (secret: string): ClientAuth =>
  (_server, { client_id }, _body, headers) => {
    const login = `${encodeURIComponent(client_id)}:${encodeURIComponent(secret)}`;
    headers.set('authorization', `Basic ${btoa(login)}`);
  };

const USED_MEMBERS = ['access_token', 'token_type', 'expires_in', 'error'];

/** Drops all other members, because `oauth4webapi` refuses an `id_token` that it cannot verify. */
function usedMembers(answer: Buffer): string {
  const text = new TextDecoder().decode(answer);
  try {
    return JSON.stringify(JSON.parse(text), USED_MEMBERS);
  } catch {
    return text;
  }
}

function reasonOf(error: unknown, ms: number): string {
  if (error instanceof DeadlineExceeded) return `token endpoint did not answer within ${ms} ms`;
  if (error instanceof TransportError) return `token endpoint ${UNREACHED[error.fault]}`;
  if (error instanceof Unavailable) return error.message;
  return 'token endpoint answered without a usable token';
}

/** Quotes only well-known parts of `error`, because other parts could contain a secret. */
function unusableAnswer(status: number, error: unknown): Unavailable {
  if (error instanceof ResponseBodyError && ERRORS.test(error.error))
    return new Unavailable(`token endpoint refused the client (${error.error})`);
  const [part] = /access_token|token_type|expires_in|JSON|^body/.exec(String(error)) ?? ['token'];
  return new Unavailable(`token endpoint answered with status ${status} and no usable ${part}`);
}

/** Reasons to show to callers, who must not learn the token endpoint's URL or address. */
const UNREACHED: Readonly<Record<TransportFault, string>> = {
  address: 'has an address that the executor does not allow; ask an operator to correct this',
  certificate: 'could not establish a TLS connection; ask an operator to check the certificate',
  connection: 'cannot be reached',
  protocol: 'did not send a well-formed HTTP/1.1 response',
};

/** Matches a token that can be sent in a header: visible ASCII characters only. */
const TOKEN = /^[\x21-\x7e]+$/;

/** OAuth error codes (RFC 6749). We hide nonstandard codes, because they could contain a secret. */
const ERRORS =
  /^(?:invalid_(?:request|client|grant|scope)|unauthorized_client|unsupported_grant_type)$/;

const MAX_TOKEN_BYTES = 64 * 1024;
