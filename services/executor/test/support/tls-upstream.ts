import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';

/** TLS towards the executor, and the bytes between, into which others can be put. */
export async function startTlsUpstream(
  options: tls.TlsOptions,
  onRequest: (wire: Socket) => void,
): Promise<{ readonly port: number } & AsyncDisposable> {
  let wire: Socket | undefined;
  const server = tls.createServer(options, (socket) => {
    socket.on('error', () => {}).once('data', () => wire !== undefined && onRequest(wire));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const front = net.createServer((outer) => {
    wire = outer;
    const inner = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    outer.pipe(inner).pipe(outer);
    for (const each of [outer, inner]) each.on('error', () => {});
    outer.on('close', () => inner.destroy());
  });
  await new Promise<void>((listening) => front.listen(0, '127.0.0.1', listening));
  return {
    port: (front.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const each of [front, server]) await new Promise((closed) => each.close(closed));
    },
  };
}
