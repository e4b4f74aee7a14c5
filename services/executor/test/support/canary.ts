import net, { type AddressInfo } from 'node:net';

/** Listens where nothing may arrive. */
export interface Canary extends AsyncDisposable {
  readonly port: number;
  /** The addresses at which it listens, all on one port. */
  readonly addresses: readonly string[];
  readonly connections: number;
}

async function listen(server: net.Server, host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, host, () => resolve(true));
  return promise;
}

/**
 * Listens on loopback of both families and on its second address, as far as the machine
 * has them.
 */
export async function startCanary(port = 0): Promise<Canary> {
  const servers: net.Server[] = [];
  const addresses: string[] = [];
  let connections = 0;
  let bound = port;
  for (const host of ['127.0.0.1', '127.0.0.2', '::1']) {
    const server = net.createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    if (!(await listen(server, host, bound))) continue;
    servers.push(server);
    addresses.push(host);
    bound = (server.address() as AddressInfo).port;
  }
  return {
    port: bound,
    addresses,
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    },
  };
}
