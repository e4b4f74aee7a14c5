import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest, type Server } from '@modelcontextprotocol/server';
import { accessGuard, type HttpOptions, inUrl } from './access.ts';
import { MAX_BODY_BYTES, Sessions } from './sessions.ts';

const MCP_PATH = '/mcp';
const MAX_CONNECTIONS = 500;

/** Time limit for calls in flight when the server closes. */
const GRACE_MS = 10_000;

export type Listening = Awaited<ReturnType<typeof listenHttp>>;

/** Serves Streamable HTTP, with sessions only for clients that speak a 2025 version of MCP. */
export async function listenHttp(
  factory: () => Server,
  options: HttpOptions,
  onError: (error: Error) => void,
) {
  const limit = { maxRequestBodySize: MAX_BODY_BYTES };
  const later = createMcpHandler(factory, { legacy: 'reject', ...limit });
  const sessions = new Sessions(factory);
  const fetch = async (request: Request) =>
    (await isLegacyRequest(request, undefined, limit))
      ? sessions.handle(request)
      : later.fetch(request);
  const handle = toNodeHandler({ fetch }, { onerror: onError, ...limit });
  const guard = accessGuard(MCP_PATH, options);
  const calls = new Set<ServerResponse>();
  const http = createServer({ ServerResponse: PromptResponse }, (request, response) => {
    if (!guard(request, response)) return;
    const { method = '', url = '', headers } = request;
    if (method === 'POST') {
      calls.add(response);
      response.once('close', () => calls.delete(response));
      response.once('close', sessions.trackCall(String(headers['mcp-session-id'])));
    }
    handle(Object.assign(request, { method, url }), response).catch(onError);
  });
  http.maxConnections = MAX_CONNECTIONS;
  http.listen(options.port, options.host);
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const close = async () => {
    http.close();
    const answered = Promise.allSettled([...calls].map((call) => once(call, 'close')));
    await Promise.race([answered, delay(GRACE_MS, undefined, { ref: false })]);
    await Promise.all([later.close(), sessions.close()]);
    http.closeAllConnections();
  };
  return { port, url: `http://${inUrl(options.host)}:${port}${MCP_PATH}`, close };
}

/** Sends headers immediately, because an MCP host that opens a stream waits for the headers. */
class PromptResponse extends ServerResponse<IncomingMessage> {
  override writeHead(status: number, ...more: unknown[]): this {
    super.writeHead(status, ...(more as [OutgoingHttpHeaders?]));
    this.flushHeaders();
    return this;
  }
}
