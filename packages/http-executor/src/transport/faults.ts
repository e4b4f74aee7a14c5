import { TransportError, type TransportFault } from '../transport.ts';

/** Messages for errors while connecting. Later, the same codes mean a broken connection. */
const UNCONNECTED: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ENOTFOUND', 'its name does not resolve'],
  ['EAI_AGAIN', 'its name could not be resolved just now'],
  ['EAI_FAIL', 'its name could not be resolved'],
  ['ENODATA', 'its name has no address'],
  ['ENETUNREACH', 'its network is unreachable'],
  ['EHOSTUNREACH', 'it is unreachable'],
  ['EADDRNOTAVAIL', 'no local address leads to it'],
  ['ETIMEDOUT', 'it did not accept a connection in time'],
  ['UND_ERR_CONNECT_TIMEOUT', 'it did not accept a connection in time'],
]);

const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_OSSL)/;

/** The upstream wants a client certificate. With TLS 1.3, this error comes after the request. */
const CLIENT_REFUSED = /_ALERT_(?:\w*CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/;

const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Shared, because creating an error with its stack costs more than the rest of an exchange. */
export const ABORTED = new Error('the request was aborted');

/** Progress of an exchange: `request` means that at least a part of the request was sent. */
export type Reached = 'connecting' | 'request' | 'response';

/**
 * Converts an error of undici, TLS or the socket, without its text. The meaning of a code depends
 * on the progress of the exchange.
 */
export function toTransportError(error: unknown, url: URL, reached: Reached): TransportError {
  if (error instanceof TransportError) return error;
  const code = codeOf(error);
  const shown = /^[A-Z0-9_]+$/.test(code) ? ` (${code})` : '';
  const host = `\`${url.host}\``;
  const known =
    reached === 'connecting' ? connectFault(code, host, shown) : exchangeFault(error, host, shown);
  if (known !== undefined) return new TransportError(known[0], known[1], error);
  const isRefusedByTls = url.protocol === 'http:' && reached === 'request' && CLOSED.has(code);
  const hint = isRefusedByTls ? ' before any answer; the port may expect https' : '';
  const message = `The connection to ${host} broke off${shown}${hint}.`;
  return new TransportError('connection', message, error);
}

type Named = readonly [TransportFault, message: string];

function connectFault(code: string, host: string, shown: string): Named | undefined {
  const unconnected = UNCONNECTED.get(code);
  if (unconnected !== undefined)
    return ['connection', `${host} cannot be used: ${unconnected}${shown}.`];
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return ['certificate', `${host} does not answer in TLS${shown}; its port may expect http.`];
  if (TLS_CODE.test(code))
    return ['certificate', `The TLS connection to ${host} was not established${shown}.`];
  return undefined;
}

function exchangeFault(error: unknown, host: string, shown: string): Named | undefined {
  const code = codeOf(error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return ['protocol', `${host} cannot be used: its response headers are too large${shown}.`];
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return [
      'connection',
      `${host} cannot be used: its response breaks off or has a duplicate content-length${shown}.`,
    ];
  if (CLIENT_REFUSED.test(code))
    return [
      'certificate',
      `${host} refuses TLS without a client certificate that it trusts${shown}.`,
    ];
  if (isTlsAnswer(error)) return ['protocol', `${host} answers in TLS; its port expects https.`];
  const malformed = protocolFault(error);
  return malformed === undefined ? undefined : ['protocol', `${host} ${malformed}.`];
}

/** True for a TLS alert, which some servers send in answer to plain HTTP. */
function isTlsAnswer(error: unknown): boolean {
  return error instanceof Error && 'data' in error && /^\x15\x03/.test(String(error.data));
}

/** An `AggregateError` of a dual-stack connect carries its codes in `errors`. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const own = 'code' in error ? String(error.code) : '';
  if (own === '' && error instanceof AggregateError) return codeOf(error.errors[0]);
  return own;
}

/** Completes the sentence "the host …" if the response is not well-formed HTTP/1.1. */
function protocolFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // undici reports `100 Continue` as a bad response, and `101 Switching Protocols` as a bad upgrade.
  if (error.message === 'bad response')
    return 'sent an unrequested `100 Continue`, which this executor does not accept';
  if (error.message === 'bad upgrade') return 'switched protocols without being asked to';
  // Parser errors have no code, and an unrequested 101 can also violate an assertion of undici.
  return codeOf(error) === 'ERR_ASSERTION' || error.name === 'HTTPParserError'
    ? 'did not answer in well-formed HTTP/1.1'
    : undefined;
}
