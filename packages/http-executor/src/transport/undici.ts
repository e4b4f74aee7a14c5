import { Client, type Dispatcher } from 'undici';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Preview, Transport, WireRequest } from '../transport.ts';
import { type GuardedConnectOptions, GuardedConnector } from './connect.ts';
import { Exchange } from './exchange.ts';
import { ABORTED } from './faults.ts';
import { Lookups, systemResolve } from './lookups.ts';

export interface UndiciTransport {
  readonly send: Transport;
  readonly preview: Preview;
  /** Drops all connections. */
  close(): Promise<void>;
}

/** The transport over undici. */
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
 * All open connections, and the idle ones by origin. undici's own pool does not say for
 * which request it connects, so an aborted request would leave its half-open socket behind.
 */
class Connections {
  readonly #connector: GuardedConnector;
  readonly #open = new Set<Connection>();
  readonly #idle = new Map<string, Connection[]>();

  constructor(connector: GuardedConnector) {
    this.#connector = connector;
  }

  readonly send: Transport = (request, handler) => {
    const { origin } = request.url;
    const kept = request.connection === 'any' ? this.#idle.get(origin)?.pop() : undefined;
    const connection = kept ?? this.#openTo(origin);
    const exchange = new Exchange(request.url, handler, (complete) => {
      if (!complete) {
        this.#open.delete(connection);
        void connection.destroy();
        return;
      }
      connection.release();
      if (request.connection !== 'own') this.#keep(origin, connection);
    });
    connection.send(request, exchange);
    return () => exchange.abort();
  };

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((each) => each.destroy()));
  }

  #openTo(origin: string): Connection {
    const connection = new Connection(origin, this.#connector, () => {
      this.#open.delete(connection);
      const others = this.#idle.get(origin)?.filter((each) => each !== connection) ?? [];
      if (others.length > 0) this.#idle.set(origin, others);
      else this.#idle.delete(origin);
    });
    this.#open.add(connection);
    return connection;
  }

  #keep(origin: string, connection: Connection): void {
    const idle = this.#idle.get(origin);
    if (idle === undefined) this.#idle.set(origin, [connection]);
    else idle.push(connection);
  }
}

const OPTIONS = {
  allowH2: false,
  // Attempts have deadlines; undici's tick too coarsely, and a slow drip evades them.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Shorter than servers commonly keep an idle connection, so that few requests meet a stale one.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 10_000,
} satisfies Client.Options;

/** One connection of undici, which carries one exchange at a time. */
class Connection {
  readonly #client: Client;
  #exchange: Exchange | undefined;
  #stopConnecting = () => {};

  /** Connects with the first exchange. `onIdleClosed` is called if it closes between two. */
  constructor(origin: string, connector: GuardedConnector, onIdleClosed: () => void) {
    this.#client = new Client(origin, {
      ...OPTIONS,
      connect: (options, callback) => {
        const onStage = (stage: 'resolving' | 'connecting') => this.#exchange?.onConnecting(stage);
        this.#stopConnecting = connector.connect(options, onStage, callback);
      },
    });
    this.#client.on('disconnect', () => {
      if (this.#exchange === undefined) onIdleClosed();
    });
  }

  send(request: WireRequest, exchange: Exchange): void {
    this.#exchange = exchange;
    this.#client.dispatch(toDispatch(request), exchange);
  }

  /** The exchange is complete. */
  release(): void {
    this.#exchange = undefined;
  }

  async destroy(): Promise<void> {
    this.#stopConnecting();
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
    // Nothing follows on a connection that was opened for this request alone.
    ...(request.connection === 'own' ? { reset: true } : {}),
  };
}
