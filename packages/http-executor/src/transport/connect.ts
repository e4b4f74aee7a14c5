import { isIP, type LookupFunction } from 'node:net';
// An old Node could not link this module if it imported `getCACertificates` by name.
import nodeTls, { createSecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import type { TlsFiles } from '../destinations/tls-files.ts';
import { TransportError } from '../wire.ts';
import type { AddressGuard } from './address-guard.ts';

/** Time after which we try a host's next address. Node's default is too short for distant hosts. */
const ADDRESS_ATTEMPT_MS = 1_500;

/** TLS options for an upstream, with additional CA certificates in PEM format. */
export function tlsOptions(tls: TlsFiles | undefined, ca: string | undefined) {
  const extra = [ca, tls?.ca].filter((each) => each !== undefined);
  if (extra.length === 0 && tls?.identity === undefined) return { allowH2: false };
  // Create the context once, because loading all CA certificates takes 50 ms.
  const authorities = [...nodeTls.getCACertificates('default'), ...extra];
  const secureContext = createSecureContext({ ca: authorities, ...tls?.identity });
  return { allowH2: false, secureContext };
}

/**
 * Returns a connector for undici that connects only to addresses that the sandbox allows:
 * 1. checks an IP address in the URL;
 * 2. checks every address that a host name resolves to;
 * 3. checks the address of the connected peer, before the request is sent.
 */
export function guardedConnector(
  guard: AddressGuard,
  options: buildConnector.BuildOptions,
): buildConnector.connector {
  return ({ hostname, protocol, port, ...rest }, callback) => {
    const url = new URL(`${protocol}//${isIP(hostname) === 6 ? `[${hostname}]` : hostname}`);
    url.port = port;

    const refused = isIP(hostname) === 0 ? undefined : guard.faultOf(url, hostname);
    if (refused !== undefined) return queueMicrotask(() => callback(refused, null));

    const lookup: LookupFunction = (_hostname, _options, found) => {
      guard.resolve(url).then(
        (answers) => found(null, answers),
        (error) => found(error, []),
      );
    };
    const connect = buildConnector({
      ...options,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    });
    connect({ ...rest, hostname, protocol, port }, (error, socket) => {
      if (error !== null) return callback(error, null);

      // A socket has no remote address if the peer has already disconnected.
      const { remoteAddress } = socket;
      const fault =
        remoteAddress === undefined
          ? new Error('the peer is gone')
          : guard.faultOf(url, remoteAddress);
      if (fault === undefined) return refuseEarlyData(url.host, callback)(null, socket);

      socket.destroy();
      callback(fault, null);
    });
  };
}

/**
 * Fails if the peer has sent data before the request, or has closed the connection. Otherwise,
 * undici would silently open one new connection after another.
 */
export function refuseEarlyData(
  host: string,
  callback: buildConnector.Callback,
): buildConnector.Callback {
  return (error, socket) => {
    if (error !== null) return callback(error, null);
    // Node leaves a TLS socket open after an alert, and undici would then forget the alert.
    socket.once('error', () => socket.destroy());
    if (socket.readableLength === 0 && !socket.readableEnded) return callback(null, socket);
    socket.destroy();
    const message = `\`${host}\` sent data, or closed the connection, before the request was sent.`;
    callback(new TransportError('connection', message), null);
  };
}
