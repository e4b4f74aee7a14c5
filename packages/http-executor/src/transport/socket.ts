import type { LookupAddress } from 'node:dns';
import net from 'node:net';
import type { buildConnector } from 'undici';
import { ABORTED } from './faults.ts';

/**
 * Time to connect to one address of a host before its next address is tried. Node's default, 250
 * ms, is too short.
 */
const ADDRESS_ATTEMPT_MS = 1_500;
const KEEP_ALIVE_PROBE_MS = 60_000;

export function connectTcp(host: string, port: number, answers: LookupAddress[]): net.Socket {
  const socket = net.connect({
    host,
    port,
    lookup: (_host, _options, callback) => callback(null, answers),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
  });
  // An `error` event without a listener would end the process, so there is always a listener.
  return socket.on('error', () => {});
}

/** Starts TLS on `options.httpSocket`; rejects at once when the signal aborts. */
export function secure(
  startTls: buildConnector.connector,
  options: buildConnector.Options,
  signal: AbortSignal,
): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(ABORTED);
    signal.addEventListener('abort', stop);
    startTls(options, (error, secured) => {
      signal.removeEventListener('abort', stop);
      if (error !== null) return reject(error);
      // Node leaves a TLS socket open after an error, so we destroy it.
      resolve(secured.once('error', () => secured.destroy()));
    });
  });
}
