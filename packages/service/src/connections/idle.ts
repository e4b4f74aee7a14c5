import type { Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { RequestsInFlight } from '../server/in-flight.ts';

/** A client that uses its connection has sent its next request by then. */
const PATIENCE_MS = 500;
const LOOK_EVERY_MS = 10;

/**
 * Waits until no connection is idle, or has been for a while. Closing an idle connection
 * crosses the next request of a client that has just been answered; once that is told to
 * close the connection itself, no request is lost. Call when draining has begun.
 */
export async function outwaitIdleConnections(
  server: Server,
  inFlight: RequestsInFlight,
): Promise<void> {
  const connections = promisify(server.getConnections.bind(server));
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until && (await connections()) > inFlight.count)
    await delay(LOOK_EVERY_MS);
}
