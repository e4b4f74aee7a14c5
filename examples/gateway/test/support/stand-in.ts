import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A request that a stand-in got, with its JSON body. */
export interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/**
 * What a stand-in does with a request; one that never ends the response keeps its caller
 * waiting.
 */
export type Behaviour = (request: Received, response: ServerResponse) => void;

/** A real local server in the place of a service; it keeps what it receives. */
export async function standIn(behave: Behaviour) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const got = { path: request.url, headers: request.headers, body: await json(request) };
    received.push(got);
    behave(got, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, received, [Symbol.asyncDispose]: close };
}

/** Answers with one document, whatever comes. */
export function answering(status: number, document: unknown): Behaviour {
  return (_request, response) => {
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(document));
  };
}

export const SUCCESS = {
  outcome: 'success',
  status: 200,
  headers: {},
  body: { ok: true },
  attempts: 1,
  history: [],
};

/**
 * Nothing listens at port 1, and unlike a port that was just freed, nobody is given it.
 */
export const DEAD_URL = 'http://127.0.0.1:1';
