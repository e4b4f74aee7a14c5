import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Preview, Transport } from '../transport.ts';
import { type GuardedConnectOptions, GuardedConnector } from './connect.ts';
import { Connection } from './connection.ts';
import { Exchange } from './exchange.ts';
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
