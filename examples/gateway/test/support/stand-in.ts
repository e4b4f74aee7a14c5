import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { startUpstream } from '@gatehouse/testing';

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
