import { Client, type Dispatcher } from 'undici';
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
 * Keeps all open connections, and the idle ones by origin. The pool of undici does not say which
 * request it connects for, so an aborted request would leave a half-open socket behind.
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
  // Our deadlines replace these timeouts, which are coarse and do not stop a slow drip of bytes.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Shorter than most servers' keep-alive timeout, so that we rarely reuse a connection that the
  // server is about to close.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 10_000,
} satisfies Client.Options;

class Connection {
  readonly #client: Client;
  #exchange: Exchange | undefined;
  #stopConnecting = () => {};

  /** `onIdleClosed` is called if the connection closes between two exchanges. */
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
    // Sends `connection: close`.
    ...(request.connection === 'own' ? { reset: true } : {}),
  };
}
