import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import data from './db.json' with { type: 'json' };

// If NODE_ENV is `production`, json-server fails unless a folder named `public` exists.
process.env.NODE_ENV = 'development';
const { createApp } = await import(import.meta.resolve('json-server/lib/app.js'));

const ANY_PORT = { host: '127.0.0.1', port: 0 };

/**
 * Starts json-server with the data from `db.json`. Changes stay in memory. If `token` is set,
 * requests without this token get a 401.
 */
export function startShop(place: typeof ANY_PORT, token?: string) {
  const answer = shop();
  return listening((request, response) => {
    const isAllowed = token === undefined || request.headers.authorization === `Bearer ${token}`;
    if (isAllowed) answer(request, response);
    else response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"Who?"}');
  }, place);
}

const shop = (): RequestListener => createApp({ data: structuredClone(data), write() {} }).attach;

const FAILURES = 2;

/** Starts a second shop that answers the first `FAILURES` requests for each URL with 503. */
export function startFlakyShop(place?: typeof ANY_PORT) {
  const seen = new Map<string | undefined, number>();
  const answer = shop();
  return listening((request, response) => {
    const earlier = seen.get(request.url) ?? 0;
    seen.set(request.url, earlier + 1);
    if (earlier >= FAILURES) answer(request, response);
    else response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"Busy."}');
  }, place);
}

async function listening(answer: RequestListener, { host, port } = ANY_PORT) {
  const server = createServer(answer).listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return Object.assign(server, { url: `http://${host}:${address.port}` });
}

// The demo's `shop` container runs this file as its main program.
if (import.meta.main) {
  await startShop({ host: '0.0.0.0', port: 3000 });
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit());
}
