import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** How many requests for each path fail before it works. */
const FAILURES = 2;

/**
 * A server in front of another one: answers 503 to the first two requests for each path,
 * then forwards. Listens on any free port, unless told otherwise.
 */
export async function startFlakyFront(
  target: string,
  { host, port } = { host: '127.0.0.1', port: 0 },
): Promise<AsyncDisposable & { readonly url: string }> {
  const seen = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', target).pathname;
    const earlier = seen.get(path) ?? 0;
    seen.set(path, earlier + 1);
    if (earlier < FAILURES) answer(response, 503, JSON.stringify({ error: 'Busy, try again.' }));
    else
      forward(request, response, target).catch((error) =>
        answer(response, 502, JSON.stringify(String(error))),
      );
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: close,
  };
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const body = method === 'GET' || method === 'HEAD' ? undefined : await buffer(request);
  const headers = { 'content-type': 'application/json' };
  const answered = await fetch(new URL(url, target), {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  answer(response, answered.status, await answered.text());
}

function answer(response: ServerResponse, status: number, json: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(json);
}
