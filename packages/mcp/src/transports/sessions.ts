import { randomUUID } from 'node:crypto';
import {
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** One client each. */
const MAX_SESSIONS = 100;
const MAX_IDLE_MS = 30 * 60_000;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Requests in flight, and streams that listen. */
  calls: number;
  streams: number;
  usedAt: number;
}

/** The sessions of clients that speak MCP of 2025; later ones need none. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #factory: () => Server;
  readonly #maxBodyBytes: number;

  constructor(factory: () => Server, maxBodyBytes: number) {
    this.#factory = factory;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Keeps a session while a request of it is open; call the result when it ends. */
  hold(id: string, method: string): () => void {
    const session = this.#sessions.get(id);
    if (session === undefined) return () => {};
    const kind = method === 'GET' ? 'streams' : 'calls';
    session[kind] += 1;
    return () => {
      session[kind] -= 1;
      session.usedAt = performance.now();
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
        this.#sessions.set(id, { transport, calls: 0, streams: 0, usedAt: performance.now() });
      },
    });
    server.onclose = () => this.#sessions.delete(transport.sessionId ?? '');
    await server.connect(transport);
    return transport;
  }

  /**
   * Ends sessions that nobody uses. Where all places are taken, it ends the one that was unused
   * for longest, even if it listens: who only listens must not keep others out.
   */
  #makeRoom(): boolean {
    const now = performance.now();
    const unused = [...this.#sessions.values()]
      .filter(({ calls }) => calls === 0)
      .sort((a, b) => Math.sign(a.streams) - Math.sign(b.streams) || a.usedAt - b.usedAt);
    const [first] = unused;
    const full = this.#sessions.size >= MAX_SESSIONS;
    for (const session of unused) {
      const expired = session.streams === 0 && now - session.usedAt > MAX_IDLE_MS;
      if (expired || (full && session === first)) void session.transport.close();
    }
    return this.#sessions.size < MAX_SESSIONS;
  }
}

/** As MCP has errors of HTTP. */
function errorOf(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
