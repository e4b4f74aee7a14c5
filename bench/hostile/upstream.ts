import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A request as it arrived, without its body. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  /** As sent, in lines. */
  readonly head: string;
}

/** Bytes to answer with, or something else to do with the connection. */
type Answering = (asked: Asked, socket: Socket) => Buffer | string | undefined;

/** A server of bytes, for answers that no HTTP server would give. */
export interface Upstream extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  /** What was asked of it so far. */
  readonly asked: readonly Asked[];
  /** Forgets what was asked, and answers as it did at first: with a small document. */
  reset(): void;
  /** Connections that are open. */
  readonly open: number;
  answer(answering: Answering): void;
}

const END_OF_HEAD = '\r\n\r\n';
const SMALL = reply({ body: '{"id":7,"name":"Desk"}' });
const harmless: Answering = () => SMALL;

export async function startUpstream(): Promise<Upstream> {
  const sockets = new Set<Socket>();
  const asked: Asked[] = [];
  let answering: Answering = harmless;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    readRequests(socket, (request) => {
      asked.push(request);
      const bytes = answering(request, socket);
      if (bytes !== undefined && socket.writable) socket.write(bytes);
    });
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    asked,
    reset: () => {
      asked.length = 0;
      answering = harmless;
    },
    get open() {
      return sockets.size;
    },
    answer: (next) => {
      answering = next;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Calls back for each request, once all of it has arrived. */
function readRequests(socket: Socket, arrived: (request: Asked) => void): void {
  let head = '';
  let request: Asked | undefined;
  let missing = 0;
  socket.on('data', (part: Buffer) => {
    if (request === undefined) {
      head += part.toString('latin1');
      const end = head.indexOf(END_OF_HEAD);
      if (end === -1) return;
      const [, method = '', path = ''] = /^(\S+) (\S+)/.exec(head) ?? [];
      const [, length = '0'] = /^content-length: *(\d+)/im.exec(head.slice(0, end)) ?? [];
      request = { method, path, head: head.slice(0, end) };
      missing = Number(length) - (head.length - end - END_OF_HEAD.length);
    } else missing -= part.length;
    if (missing > 0) return;
    const complete = request;
    head = '';
    request = undefined;
    arrived(complete);
  });
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** The bytes of an answer: JSON with a length unless the headers say otherwise. */
export function reply({ status = 200, headers = {}, body = '' }: Reply): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const all = {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`, 'latin1'),
    bytes,
  ]);
}
