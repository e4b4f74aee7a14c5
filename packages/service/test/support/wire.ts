import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Connection for arbitrary bytes. Its errors do not fail the test. */
export interface Wire extends Disposable {
  readonly socket: Socket;
  /** Text received so far. */
  readonly text: string;
  /** Resolves when the received text matches. Rejects if the connection closes first. */
  received(pattern: RegExp): Promise<void>;
  /** Writes, and waits until the bytes are flushed or the connection is closed. */
  send(bytes: string): Promise<void>;
  /** Resolves with all received text when the connection is closed. */
  readonly over: Promise<string>;
}

export function openWire(port: number): Wire {
  const socket = connect({ host: '127.0.0.1', port }).on('error', () => {});
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  const closed = new Promise<void>((done) => void socket.once('close', () => done()));
  return {
    socket,
    get text() {
      return text;
    },
    received: async (pattern) => {
      while (!pattern.test(text)) {
        if (socket.destroyed) throw new Error(`the connection ended after: ${text}`);
        await Promise.race([once(socket, 'data'), closed]);
      }
    },
    send: (bytes) =>
      new Promise(
        (resolve) => void (socket.destroyed ? resolve() : socket.write(bytes, () => resolve())),
      ),
    over: closed.then(() => text),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

export const statusesOf = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);

/** Request line and headers of a POST request with a JSON body. */
export function postHead(path: string, headers: Readonly<Record<string, string | number>>): string {
  const all = Object.entries({ host: 'x', 'content-type': 'application/json', ...headers });
  return `POST ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}
