import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Received } from './problems.ts';

/** TCP connection to a local port, for bytes that no HTTP client would send. */
export interface BareSocket extends AsyncDisposable {
  send(bytes: string | Buffer): void;
  /** Resolves with everything received until the server closes the connection. */
  readonly answer: Promise<Received>;
}

export async function openSocket(port: number): Promise<BareSocket> {
  const socket: Socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  const answer = text(socket).then(parseAnswer);
  answer.catch(() => undefined);
  return {
    send: (bytes) => socket.write(bytes),
    answer,
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      await answer.catch(() => undefined);
    },
  };
}

function parseAnswer(raw: string): Received {
  const [head = '', ...body] = raw.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines)
    headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim());
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]),
    headers,
    text: body.join('\r\n\r\n'),
  };
}
