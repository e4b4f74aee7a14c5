import type { ServerResponse } from 'node:http';
import { reply, startUpstream, type Upstream } from './upstream.ts';

export interface GatedUpstream extends AsyncDisposable {
  readonly origin: string;
  readonly requests: Upstream['requests'];
  /** Paths of the requests that are still waiting for a reply, oldest first. */
  readonly held: readonly string[];
  /** Answers the oldest waiting request. */
  release(): void;
  /** Answers all waiting requests, and answers any later request immediately. */
  open(): void;
}

/** Starts an upstream that answers a request only after the test calls `release` or `open`. */
export async function startGatedUpstream(): Promise<GatedUpstream> {
  const waiting: { url: string; response: ServerResponse }[] = [];
  let opened = false;
  const upstream = await startUpstream(({ url }, response) => {
    if (opened) return reply(response, {});
    const entry = { url, response };
    waiting.push(entry);
    response.on('close', () => {
      if (waiting.includes(entry)) waiting.splice(waiting.indexOf(entry), 1);
    });
  });
  const release = () => {
    const first = waiting.shift();
    if (first === undefined) throw new Error('no request is waiting');
    reply(first.response, {});
  };
  return {
    origin: upstream.origin,
    requests: upstream.requests,
    get held() {
      return waiting.map(({ url }) => url);
    },
    release,
    open: () => {
      opened = true;
      while (waiting.length > 0) release();
    },
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}
