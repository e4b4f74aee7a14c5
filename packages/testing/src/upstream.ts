import { once } from 'node:events';
import http, {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificates.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Number of the connection on which the request arrived. The first connection is number 1. */
  readonly connection: number;
}

/** Reply of an upstream. If `body` is an object, it is sent as JSON. */
export interface Reply {
  readonly status?: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array | object;
}

export type Handler = (request: Received, response: ServerResponse) => void;

/** One reply for every request, a list of replies (the last one is repeated), or a handler. */
export type Script = Reply | readonly Reply[] | Handler;

export interface Upstream extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:<port>`, or `https://localhost:<port>` with TLS. */
  readonly origin: string;
  readonly requests: readonly Received[];
  readonly connections: number;
}

export function reply(
  response: ServerResponse,
  { status = 200, headers = {}, body = {} }: Reply,
): void {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  response.writeHead(status, raw ? headers : { 'content-type': 'application/json', ...headers });
  response.end(raw ? body : JSON.stringify(body));
}

function handlerOf(script: Script): Handler {
  if (typeof script === 'function') return script;
  const replies = Array.isArray(script) ? [...script] : [script];
  return (_request, response) => {
    const next = replies.length > 1 ? replies.shift() : replies[0];
    reply(response, next ?? {});
  };
}

/** Reads the whole body. Returns undefined if the client disconnects before the end of the body. */
async function readAll(request: IncomingMessage): Promise<string | undefined> {
  try {
    return Buffer.concat(await request.toArray()).toString();
  } catch {
    return undefined;
  }
}

/** Size limit for request headers, large enough for every request from an executor. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Starts a real server on loopback that records the requests it receives. */
export async function startUpstream(
  script: Script = {},
  certificate?: Certificate,
  port = 0,
): Promise<Upstream> {
  const handler = handlerOf(script);
  const requests: Received[] = [];
  const connectionOf = new WeakMap<object, number>();
  let connections = 0;
  const listener: http.RequestListener = async (request, response) => {
    const { method = '', url = '', headers, socket } = request;
    const connection = connectionOf.get(socket) ?? 0;
    const body = await readAll(request);
    if (body === undefined) return;
    const received = { method, url, headers, body, connection };
    requests.push(received);
    handler(received, response);
  };
  const server =
    certificate === undefined
      ? http.createServer({ maxHeaderSize: MAX_HEADER_BYTES }, listener)
      : https.createServer({ ...certificate, maxHeaderSize: MAX_HEADER_BYTES }, listener);
  server.on(certificate === undefined ? 'connection' : 'secureConnection', (socket) => {
    connections += 1;
    connectionOf.set(socket, connections);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    port: bound,
    origin: certificate === undefined ? `http://127.0.0.1:${bound}` : `https://localhost:${bound}`,
    requests,
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}
