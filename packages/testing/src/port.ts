import { once } from 'node:events';
import { createServer } from 'node:net';

/** First port to try. On Linux, a server that listens on port 0 never gets a port below 32,000. */
const FIRST = 20_000;
const COUNT = 12_000;

let next = Math.floor(Math.random() * COUNT);

/** Finds a loopback port on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (next++ % COUNT);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;

    await new Promise((closed) => server.close(closed));
    return port;
  }
}
