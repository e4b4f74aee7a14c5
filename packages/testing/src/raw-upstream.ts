import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';

/** Handlers that the server calls: `connected` for each connection, `asked` for each request. */
export interface RawScript {
  readonly connected?: (socket: Socket, connection: number) => void;
  readonly asked?: (socket: Socket, request: number) => void;
}

export interface RawUpstream extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  readonly connections: number;
  /** Number of requests whose headers have arrived. */
  readonly requests: number;
  readonly heads: readonly string[];
  /** Number of open connections. */
  readonly open: number;
}

/** Starts a bare TCP server, which can send malformed HTTP responses. */
export async function startRawUpstream(script: RawScript = {}): Promise<RawUpstream> {
  const sockets = new Set<Socket>();
  const heads: string[] = [];
  let connections = 0;
  const server = net.createServer((socket) => {
    sockets.add(socket);
    connections += 1;
    let seen = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
      if (!seen.includes('\r\n\r\n')) return;
      heads.push(seen);
      seen = '';
      script.asked?.(socket, heads.length);
    });
    script.connected?.(socket, connections);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    get requests() {
      return heads.length;
    },
    heads,
    get open() {
      return sockets.size;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
