import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { startUpstream } from '@gatehouse/testing';

export interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/**
 * Handles a request to a stand-in. A handler that never ends the response keeps its caller
 * waiting.
 */
export type Behaviour = (request: Received, response: ServerResponse) => void;

/** Starts a local server that replaces a service and records the requests that it receives. */
export async function standIn(behave: Behaviour) {
  const received: Received[] = [];
  const upstream = await startUpstream(({ url, headers, body }, response) => {
    const got = { path: url, headers, body: JSON.parse(body) as unknown };
    received.push(got);
    behave(got, response);
  });
  return {
    url: upstream.origin,
    received,
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}

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

/** URL at which nothing listens. Port 1, unlike a freed port, is never given to a server. */
export const DEAD_URL = 'http://127.0.0.1:1';
