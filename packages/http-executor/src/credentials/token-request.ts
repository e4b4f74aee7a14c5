import {
  type CredentialSource,
  failure,
  type ResponseHeaders,
  type Result,
  success,
} from '@gatehouse/contracts';
import { type Clock, DeadlineExceeded, withDeadline } from '../clock.ts';
import { retryAfterMs } from '../retry-after.ts';
import {
  isSuccess,
  type Transport,
  TransportError,
  type TransportFault,
  type WireRequest,
  type WireResponse,
} from '../wire.ts';
import type { Unavailable } from './credential.ts';

export type OAuthSource = Extract<CredentialSource, { type: 'oauth2_client_credentials' }>;

export interface TokenDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly attemptTimeoutMs: number;
}

/** Access token. `lifetimeMs` is infinite if the endpoint did not say when the token expires. */
interface Grant {
  readonly text: string;
  readonly lifetimeMs: number;
}

const MAX_TOKEN_BYTES = 64 * 1024;

/** Requests a token from an allowed address, and follows no redirects. */
export async function requestToken(
  source: OAuthSource,
  secret: string,
  { transport, clock, attemptTimeoutMs: ms }: TokenDeps,
): Promise<Result<Grant, Unavailable>> {
  const request = toRequest(source, secret);
  try {
    const send = (signal: AbortSignal) => transport(request, { signal, maxBytes: MAX_TOKEN_BYTES });
    return readGrant(await withDeadline(send, { clock, ms }), clock.date());
  } catch (error) {
    if (error instanceof DeadlineExceeded)
      return failure({ reason: `token endpoint did not answer within ${ms} ms` });

    if (!(error instanceof TransportError)) throw error;

    const isLasting = error.fault === 'address' || error.fault === 'certificate';
    const reason = `token endpoint ${UNREACHED[error.fault]}`;
    return failure({ reason, advice: isLasting ? 'operator' : 'later' });
  }
}

/** Shown to callers, who must not learn the token endpoint's URL or address. */
const UNREACHED: Readonly<Record<TransportFault, string>> = {
  address: 'has an address that the executor does not allow',
  certificate: 'could not establish a TLS connection',
  connection: 'cannot be reached',
  protocol: 'did not send a well-formed HTTP/1.1 response',
};

function toRequest(source: OAuthSource, secret: string): WireRequest {
  const { client_id, scopes, audience, resource, auth_method, parameters } = source;
  const isPost = auth_method === 'client_secret_post';
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scopes && { scope: scopes.join(' ') }),
    ...(audience !== undefined && { audience }),
    ...(resource !== undefined && { resource }),
    ...(isPost && { client_id, client_secret: secret }),
    ...parameters,
  });
  // `encodeURIComponent` leaves `-`, `.`, `_` and `~` as they are (unlike RFC 6749, section 2.3.1),
  // because some servers do not decode client ids and secrets.
  const login = `${encodeURIComponent(client_id)}:${encodeURIComponent(secret)}`;
  const headers = new Map([
    ['accept', 'application/json'],
    ['content-type', 'application/x-www-form-urlencoded'],
    ['user-agent', 'gatehouse-executor'],
    ...(isPost ? [] : [['authorization', `Basic ${btoa(login)}`] as const]),
  ]);
  const url = new URL(source.token_url);
  return { method: 'POST', url, headers, body: String(form) };
}

/** A token that can be sent in a header. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Reads the answer of a token endpoint (RFC 6749, section 5). */
function readGrant({ status, headers, body }: WireResponse, now: Date): Result<Grant, Unavailable> {
  const answer = body.fault === undefined ? membersOf(body.bytes) : undefined;
  const { access_token: text, token_type: type, expires_in: expiresIn, error } = answer ?? {};
  const refused = (why: string, isLasting = false) =>
    failure<Unavailable>({
      reason: `token endpoint ${why}`,
      advice: isLasting ? 'operator' : 'later',
      retryAfterS: refusalSeconds(headers, now),
    });
  const unusable = (part: string, isLasting = false) =>
    refused(`answered with status ${status} and no usable ${part}`, isLasting);

  const isLasting = !isTemporary(status, error);
  if (!(isSuccess(status) && text) && CODES.has(error))
    return refused(`refused the client (${error})`, isLasting);

  if (!isSuccess(status)) return unusable('token', isLasting);

  if (answer === undefined) return unusable(body.fault === undefined ? 'JSON' : 'body');

  if (typeof text !== 'string' || !TOKEN.test(text)) return unusable('access_token');

  if (!isBearer(type)) return unusable('token_type', true);

  return success({ text, lifetimeMs: lifetimeOf(expiresIn) });
}

/** True for `bearer` in any case, Apigee's `BearerToken`, and servers that leave the type out. */
const isBearer = (type: unknown) =>
  type == null || (typeof type === 'string' && /^(?:bearer(?:token)?)?$/i.test(type));

function membersOf(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** Counts an unusable lifetime as none, because servers write `null`, `""`, 0 or -1 for "never". */
function lifetimeOf(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' ? Number(expiresIn) : expiresIn;
  const isUsable = typeof seconds === 'number' && seconds > 0;
  return isUsable ? seconds * 1_000 : Number.POSITIVE_INFINITY;
}

/** How long to remember a refusal if the endpoint does not say it, and at most, in seconds. */
const REFUSAL_S = 5;
const MAX_REFUSAL_S = 60;

/** Returns how long to remember a refusal: as long as `Retry-After` asks, within limits. */
function refusalSeconds(headers: ResponseHeaders, now: Date): number {
  const seconds = Math.ceil((retryAfterMs(headers, now) ?? 0) / 1_000);
  return seconds > 0 ? Math.min(seconds, MAX_REFUSAL_S) : REFUSAL_S;
}

/** Registered OAuth error codes. We hide other codes, because they could contain a secret. */
const TEMPORARY = ['slow_down', 'server_error', 'temporarily_unavailable'];
const LASTING =
  'invalid_request invalid_client invalid_grant invalid_scope invalid_target access_denied ' +
  'unauthorized_client unsupported_grant_type insufficient_scope invalid_dpop_proof use_dpop_nonce';
const CODES: ReadonlySet<unknown> = new Set([...TEMPORARY, ...LASTING.split(' ')]);

/** True if the endpoint may accept the same request later. */
const isTemporary = (status: number, error: unknown) =>
  status === 408 || status === 429 || status >= 500 || TEMPORARY.some((each) => each === error);
