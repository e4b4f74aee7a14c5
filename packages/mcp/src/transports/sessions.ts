import { randomUUID } from 'node:crypto';
import {
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** One client each. */
const MAX_SESSIONS = 100;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Calls in flight. */
  calls: number;
}

/** The sessions of clients that speak MCP of 2025; later ones need none. */
export class Sessions {
  /** The session that was unused for longest comes first. */
  readonly #sessions = new Map<string, Session>();
  readonly #factory: () => Server;
  readonly #maxBodyBytes: number;

  constructor(factory: () => Server, maxBodyBytes: number) {
    this.#factory = factory;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Keeps a session while a call of it is in flight; call the result when the call ends. */
  hold(id: string): () => void {
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
    if (id !== null) return errorOf(404, -32_001, 'Session not found; start another.');
    if (!this.#makeRoom())
      return errorOf(503, -32_000, 'All sessions are in use; come back later.');
    const transport = await this.#open();
    const response = await transport.handleRequest(request);
    // Anything but an `initialize` opens no session.
    if (transport.sessionId === undefined) await transport.close();
    return response;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  async #open(): Promise<Session['transport']> {
    const server = this.#factory();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: this.#maxBodyBytes,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { transport, calls: 0 });
      },
    });
    server.onclose = () => this.#sessions.delete(transport.sessionId ?? '');
    await server.connect(transport);
    return transport;
  }

  /** If all places are taken, ends the session without a call that was unused for longest. */
  #makeRoom(): boolean {
    if (this.#sessions.size < MAX_SESSIONS) return true;
    const unused = [...this.#sessions.values()].find(({ calls }) => calls === 0);
    void unused?.transport.close();
    return unused !== undefined;
  }
}

/** An error of HTTP as MCP writes it. */
function errorOf(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
