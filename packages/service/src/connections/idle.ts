import type { Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { InFlight } from '../server/in-flight.ts';

/** By then, a client that uses its connection has sent its next request. */
const MAX_WAIT_MS = 500;
const POLL_MS = 10;

/** Waits for clients to close idle connections: if the server did, it could lose a request. */
export async function waitForIdleConnections(server: Server, inFlight: InFlight): Promise<void> {
  const connections = promisify(server.getConnections.bind(server));
  const until = performance.now() + MAX_WAIT_MS;
  while (performance.now() < until && (await connections()) > inFlight.count) await delay(POLL_MS);
}
