import { randomUUID } from 'node:crypto';
import {
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** Size limit for a request, enough for 256 KiB of arguments after JSON escaping. */
export const MAX_BODY_BYTES = 512 * 1024;
const MAX_SESSIONS = 100;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  calls: number;
}

/** Sessions of clients that speak MCP 2025. Clients that speak MCP 2026 do not need sessions. */
export class Sessions {
  /** Sessions by id, with the least recently used session first. */
  readonly #sessions = new Map<string, Session>();
  readonly #factory: () => Server;

  constructor(factory: () => Server) {
    this.#factory = factory;
  }

  /** Keeps a session open until the returned function is called. */
  trackCall(id: string): () => void {
    const session = this.#sessions.get(id);
    if (session === undefined) return () => {};
    session.calls += 1;
    return () => {
      session.calls -= 1;
      if (this.#sessions.delete(id)) this.#sessions.set(id, session);
    };
  }

  async handle(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : this.#sessions.get(id);
    if (known !== undefined) return known.transport.handleRequest(request);

    if (id !== null) return sessionError(404, -32_001, 'Session not found; start a new one.');

    const transport = await this.#open();
    const response = await transport.handleRequest(request);
    const { sessionId } = transport;
    if (sessionId !== undefined && this.#add(sessionId, transport)) return response;

    await transport.close();
    // If the request opened no session, return the transport's own response, such as an error.
    if (sessionId === undefined) return response;

    return sessionError(503, -32_000, 'All sessions are in use; try again later.');
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  async #open(): Promise<Session['transport']> {
    const server = this.#factory();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: MAX_BODY_BYTES,
    });
    server.onclose = () => this.#sessions.delete(transport.sessionId ?? '');
    await server.connect(transport);
    return transport;
  }

  /**
   * Adds a session, or returns false if all `MAX_SESSIONS` sessions have a call in flight. If
   * necessary, ends the least recently used idle session to make room.
   */
  #add(id: string, transport: Session['transport']): boolean {
    if (this.#sessions.size >= MAX_SESSIONS) {
      const unused = [...this.#sessions.values()].find(({ calls }) => calls === 0);
      if (unused === undefined) return false;
      void unused.transport.close();
    }
    this.#sessions.set(id, { transport, calls: 0 });
    return true;
  }
}

function sessionError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
