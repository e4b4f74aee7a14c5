import { Client, type Dispatcher, ProxyAgent } from 'undici';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Preview, Transport, WireRequest } from '../transport.ts';
import { type GuardedConnectOptions, GuardedConnector } from './connect.ts';
import { Exchange } from './exchange.ts';
import { ABORTED } from './faults.ts';
import { Lookups, systemResolve } from './lookups.ts';

interface UndiciTransport {
  readonly send: Transport;
  readonly preview: Preview;
  close(): Promise<void>;
}

export function undiciTransport(
  sandbox: Sandbox,
  options: GuardedConnectOptions = {},
): UndiciTransport {
  const lookups = new Lookups(options.resolve ?? systemResolve);
  const connector = new GuardedConnector(sandbox, lookups, options);
  const connections = new Connections(connector);
  return {
    send: connections.send,
    preview: (url, signal) => connector.preview(url, signal),
    close: () => connections.close(),
  };
}

/**
 * Keeps all open connections, and a list of idle ones for each peer. We do not use undici's pool,
 * because an aborted request would leave a half-open socket behind.
 */
class Connections {
  readonly #connector: GuardedConnector;
  readonly #open = new Set<Connection>();
  readonly #idle = new Map<string, Connection[]>();

  constructor(connector: GuardedConnector) {
    this.#connector = connector;
  }

  readonly send: Transport = (request, handler) => {
    const peer = peerOf(request);
    const kept = request.connection === 'any' ? this.#idle.get(peer)?.pop() : undefined;
    const connection = kept ?? this.#openTo(request, peer);
    const exchange = new Exchange(request.url, handler, (complete) => {
      if (!complete) {
        this.#open.delete(connection);
        void connection.destroy();
        return;
      }
      connection.release();
      if (request.connection !== 'own') this.#keep(peer, connection);
    });
    connection.send(request, exchange);
    return () => exchange.abort();
  };

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((each) => each.destroy()));
  }

  #openTo(request: WireRequest, peer: string): Connection {
    const connection = new Connection(request, this.#connector, () => {
      this.#open.delete(connection);
      const others = this.#idle.get(peer)?.filter((each) => each !== connection) ?? [];
      if (others.length > 0) this.#idle.set(peer, others);
      else this.#idle.delete(peer);
    });
    this.#open.add(connection);
    return connection;
  }

  #keep(peer: string, connection: Connection): void {
    const idle = this.#idle.get(peer);
    if (idle === undefined) this.#idle.set(peer, [connection]);
    else idle.push(connection);
  }
}

/** Returns the same key for requests that can share connections: same origin, same TLS files. */
function peerOf({ url, tls }: WireRequest): string {
  return tls === undefined ? url.origin : `${url.origin} ${tls.id} ${tls.identity !== undefined}`;
}

const OPTIONS = {
  allowH2: false,
  // Our deadlines replace these timeouts, which are coarse and do not stop a slow drip of bytes.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Shorter than most servers' keep-alive timeout, so that we rarely reuse a connection that the
  // server is about to close.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 10_000,
} satisfies Client.Options;

class Connection {
  readonly #client: Client | ProxyAgent;
  #exchange: Exchange | undefined;
  readonly #connecting = new AbortController();

  /** `onIdleClosed` is called if the connection closes between two exchanges. */
  constructor({ url, tls }: WireRequest, connector: GuardedConnector, onIdleClosed: () => void) {
    const open = (origin: string | URL, connect: Client.Options['connect']) =>
      new Client(origin, { ...OPTIONS, ...(connect && { connect }) }).on('disconnect', () => {
        if (this.#exchange === undefined) onIdleClosed();
      });
    const proxy = connector.proxyFor(url, tls);
    this.#client =
      proxy === undefined
        ? open(url.origin, (options, callback) => {
            const onStage = (stage: 'resolving' | 'connecting') =>
              this.#exchange?.onConnecting(stage);
            connector.connect({ ...options, tls }, onStage, this.#connecting.signal).then(
              (socket) => callback(null, socket),
              (error) => callback(error, null),
            );
          })
        : new ProxyAgent({
            ...proxy,
            factory: (origin, options) => open(origin, (options as Client.Options).connect),
          });
  }

  send(request: WireRequest, exchange: Exchange): void {
    this.#exchange = exchange;
    this.#client.dispatch(toDispatch(request), exchange);
  }

  release(): void {
    this.#exchange = undefined;
  }

  async destroy(): Promise<void> {
    this.#connecting.abort();
    await this.#client.destroy(ABORTED);
  }
}

function toDispatch(request: WireRequest): Dispatcher.DispatchOptions {
  const { method, url, headers, body } = request;
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers,
    body: body ?? null,
    // Sends `connection: close`.
    ...(request.connection === 'own' ? { reset: true } : {}),
  };
}
