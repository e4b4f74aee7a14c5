import { TransportError, type TransportFault } from '../transport.ts';

/** Errors by `code`; what is not listed and not a TLS error counts as a broken connection. */
const FAULTS: ReadonlyMap<string, readonly [TransportFault, string]> = new Map([
  ['ECONNREFUSED', ['unconnected', 'the connection was refused']],
  ['ENOTFOUND', ['unconnected', 'its name does not resolve']],
  ['EAI_AGAIN', ['unconnected', 'its name could not be resolved just now']],
  ['EAI_FAIL', ['unconnected', 'its name could not be resolved']],
  ['ENODATA', ['unconnected', 'its name has no address']],
  ['ENETUNREACH', ['unconnected', 'its network is unreachable']],
  ['EHOSTUNREACH', ['unconnected', 'it is unreachable']],
  ['EADDRNOTAVAIL', ['unconnected', 'no local address leads to it']],
  ['ETIMEDOUT', ['unconnected', 'it did not accept a connection in time']],
  ['UND_ERR_CONNECT_TIMEOUT', ['unconnected', 'it did not accept a connection in time']],
  ['UND_ERR_HEADERS_OVERFLOW', ['protocol', 'its response headers are too large']],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', ['broken', 'its response ended before its announced length']],
]);

const TLS_CODE = /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_OSSL)/;

/** Foreign errors enter here: whatever undici, TLS or the socket throws becomes one of ours, without foreign text. */
export function toTransportError(error: unknown, url: URL): TransportError {
  if (error instanceof TransportError) return error;
  const host = `\`${url.host}\``;
  const code = codeOf(error);
  const known = FAULTS.get(code);
  if (known !== undefined) return new TransportError(known[0], `${host} cannot be used: ${known[1]} (${code}).`, error);
  if (TLS_CODE.test(code)) {
    return new TransportError('certificate', `The TLS connection to ${host} was not established (${code}).`, error);
  }
  if (isProtocolError(error)) {
    return new TransportError('protocol', `${host} did not answer in well-formed HTTP/1.1.`, error);
  }
  const shown = /^[A-Z0-9_]+$/.test(code) ? ` (${code})` : '';
  return new TransportError('broken', `The connection to ${host} broke off${shown}.`, error);
}

/** An `AggregateError` of a dual-stack connect carries its codes in `errors`. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const own = 'code' in error ? String(error.code) : '';
  if (own === '' && error instanceof AggregateError) return codeOf(error.errors[0]);
  return own;
}

/** undici's parser errors have no code; and it asserts what a peer may break, such as that no 101 comes unasked. */
function isProtocolError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const asserted = codeOf(error) === 'ERR_ASSERTION';
  return asserted || error.name === 'HTTPParserError' || /^bad (?:response|upgrade)/.test(error.message);
}
