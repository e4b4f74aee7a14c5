import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest, type Server } from '@modelcontextprotocol/server';
import { accessGuard, type HttpOptions, inUrl } from './access.ts';
import { Sessions } from './sessions.ts';

const MCP_PATH = '/mcp';

/** Arguments of 256 KiB, escaped. */
const MAX_BODY_BYTES = 512 * 1024;
const MAX_CONNECTIONS = 500;
const RECEIVE_MS = 30_000;

/** A request that a server has read has both. */
type Received = IncomingMessage & { method: string; url: string };

export interface Listening {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves Streamable HTTP: with sessions to clients of 2025, without to later ones. */
export async function listenHttp(
  factory: () => Server,
  options: HttpOptions,
  onError: (error: Error) => void,
): Promise<Listening> {
  const maxRequestBodySize = MAX_BODY_BYTES;
  const later = createMcpHandler(factory, { legacy: 'reject', maxRequestBodySize });
  const sessions = new Sessions(factory, MAX_BODY_BYTES);
  const fetch = async (request: Request) =>
    (await isLegacyRequest(request, undefined, { maxRequestBodySize }))
      ? sessions.handle(request)
      : later.fetch(request);
  const handle = toNodeHandler({ fetch }, { onerror: onError, maxRequestBodySize });
  const guard = accessGuard(MCP_PATH, options);
  const settings = { requestTimeout: RECEIVE_MS, ServerResponse: PromptResponse };
  const http = createServer(settings, (request, response) => {
    if (!guard(request, response)) return;
    response.once(
      'close',
      sessions.hold(String(request.headers['mcp-session-id']), String(request.method)),
    );
    handle(request as Received, response).catch(onError);
  });
  http.maxConnections = MAX_CONNECTIONS;
  http.listen(options.port, options.host);
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    ...{ port, url: `http://${inUrl(options.host)}:${port}${MCP_PATH}` },
    close: async () => {
      http.close();
      await Promise.all([later.close(), sessions.close()]);
      http.closeAllConnections();
    },
  };
}

/** A host that opens a stream hears of it now, not with the first message. */
class PromptResponse extends ServerResponse {
  override writeHead(status: number, ...more: unknown[]): this {
    super.writeHead(status, ...(more as [OutgoingHttpHeaders?]));
    this.flushHeaders();
    return this;
  }
}
