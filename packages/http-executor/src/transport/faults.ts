import { Cancelled } from '../errors.ts';
import { TransportError, type TransportFault } from '../wire.ts';

/** Messages for errors that prevent a connection, keyed by error code or name. */
const UNCONNECTED: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ENOTFOUND', 'its host name does not resolve'],
  ['EAI_AGAIN', 'its host name could not be resolved right now'],
  ['EAI_FAIL', 'its host name could not be resolved'],
  ['ENODATA', 'its host name has no address'],
  ['ENETUNREACH', 'the network is unreachable'],
  ['EHOSTUNREACH', 'there is no route to it'],
  ['EADDRNOTAVAIL', 'this machine has no IP address that can reach it'],
  ['ETIMEDOUT', 'it did not accept a connection in time'],
  ['UND_ERR_CONNECT_TIMEOUT', 'it did not accept a connection in time'],
  ['HTTPParserError', 'it did not send a well-formed HTTP/1.1 response'],
]);

const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_OSSL)/;

/** Matches TLS alerts about client certificates: in TLS 1.3, these may arrive after our request. */
const CLIENT_REFUSED = /_ALERT_(?:\w*CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/;

const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Progress of an exchange. `request` means that at least part of the request was sent. */
export type Reached = 'connecting' | 'request' | 'response';

/**
 * Converts an error of undici, TLS or a socket. `peer` names the other side in the message.
 * @throws {Cancelled} if the executor was closed during the request
 */
export function toTransportError(
  error: unknown,
  { host, protocol }: URL,
  reached: Reached,
  peer = `\`${host}\``,
): TransportError {
  if (error instanceof TransportError) return error;

  const code = codeOf(error);
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') throw new Cancelled();

  const shown = /^[A-Z0-9_]+$/.test(code) ? ` (${code})` : '';
  const known =
    reached === 'connecting' ? connectFault(code, peer, shown) : exchangeFault(error, peer, shown);
  if (known !== undefined) return new TransportError(known[0], known[1], error);

  const isRefusedByTls = protocol === 'http:' && reached === 'request' && CLOSED.has(code);
  const hint = isRefusedByTls
    ? ' before the host answered; if that happens again, its port may expect https'
    : '';
  const message = `The connection to ${within(peer)} was lost${shown}${hint}.`;
  return new TransportError('connection', message, error);
}

/** Returns a name such as `The proxy` as it appears within a sentence. */
const within = (peer: string) => peer.replace(/^The /, 'the ');

type Named = readonly [TransportFault, message: string];

function connectFault(code: string, host: string, shown: string): Named | undefined {
  const unconnected = UNCONNECTED.get(code);
  if (unconnected !== undefined)
    return ['connection', `${host} cannot be reached: ${unconnected}${shown}.`];

  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return ['certificate', `${host} does not speak TLS${shown}; its port may expect http.`];

  if (TLS_CODE.test(code))
    return ['certificate', `The TLS connection to ${within(host)} was not established${shown}.`];
  return undefined;
}

function exchangeFault(error: unknown, host: string, shown: string): Named | undefined {
  const code = codeOf(error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return ['protocol', `The response headers of ${host} are too large${shown}.`];

  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return [
      'connection',
      `The response from ${host} is incomplete or has a duplicate content-length${shown}.`,
    ];

  if (CLIENT_REFUSED.test(code))
    return ['certificate', `${host} requires a client certificate that it trusts${shown}.`];

  if (!(error instanceof Error)) return undefined;

  // Some TLS servers answer a plain HTTP request with a TLS alert, whose first byte is 0x15.
  if ('data' in error && /^\x15\x03/.test(String(error.data)))
    return ['protocol', `${host} answered plain http with a TLS alert; its port expects https.`];

  // undici reports `100 Continue` as "bad response" and `101 Switching Protocols` as "bad upgrade".
  if (error.message === 'bad response')
    return ['protocol', `${host} sent \`100 Continue\` without being asked to.`];

  if (error.message === 'bad upgrade')
    return ['protocol', `${host} switched protocols without being asked to.`];

  // A stray 101 response may make undici fail an assertion.
  return code === 'ERR_ASSERTION' || code === 'HTTPParserError'
    ? ['protocol', `${host} did not send a well-formed HTTP/1.1 response.`]
    : undefined;
}

/** Returns the error's code or name. If several addresses failed, uses the first one's error. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { name, code } = error as NodeJS.ErrnoException;
  if (error instanceof AggregateError && code === undefined) return codeOf(error.errors[0]);
  return name === 'HTTPParserError' ? name : String(code ?? name);
}
