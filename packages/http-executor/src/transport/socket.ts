import type { LookupAddress } from 'node:dns';
import net from 'node:net';

/** Time to try one address of a host before the next. Node's default, 250 ms, is too short. */
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
  // An `error` event without a listener would end the process, so we always have a listener.
  return socket.on('error', () => {});
}
