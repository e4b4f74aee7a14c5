import { Client } from 'undici';
import type { Sandbox } from '../sandbox/sandbox.ts';
import {
  type Preview,
  type Stage,
  type Transport,
  TransportError,
  type WireRequest,
} from '../transport.ts';
import { type GuardedConnectOptions, GuardedConnector } from './connect.ts';
import { Exchange } from './exchange.ts';
import { ABORTED } from './faults.ts';

/** Connection pool. We do not use undici's `Pool`, which leaves half-open sockets after aborts. */
export class UndiciTransport {
  readonly #connector: GuardedConnector;
  /** Open connections, oldest first. */
  readonly #open = new Set<Connection>();

  constructor(sandbox: Sandbox, options: GuardedConnectOptions) {
    this.#connector = new GuardedConnector(sandbox, options);
  }

  readonly send: Transport = (request, options) => {
    options.signal.throwIfAborted();
    const connection = this.#idleFor(request) ?? this.#openFor(request);
    const exchange = new Exchange(request.url, options, (complete) => {
      if (complete) connection.release();
      else {
        this.#open.delete(connection);
        void connection.destroy();
      }
    });
    connection.send(request, exchange);
    return exchange.response;
  };

  readonly preview: Preview = (url, signal) => this.#connector.preview(url, signal);

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((each) => each.destroy()));
  }

  /** Returns the newest idle connection, because the upstream may soon close an older one. */
  #idleFor(request: WireRequest): Connection | undefined {
    if (!request.mayReuse) return undefined;
    const peer = peerOf(request);
    let newest: Connection | undefined;
    for (const each of this.#open) if (each.isIdle && each.peer === peer) newest = each;
    return newest;
  }

  #openFor(request: WireRequest): Connection {
    const connection = new Connection(request, this.#connector, () =>
      this.#open.delete(connection),
    );
    this.#open.add(connection);
    return connection;
  }
}

/** Requests with the same origin and TLS files get the same key, so they can share connections. */
function peerOf({ url, tls }: WireRequest): string {
  return tls === undefined ? url.origin : `${url.origin} ${tls.id} ${tls.identity !== undefined}`;
}

const OPTIONS = {
  allowH2: false,
  // undici's body timeout restarts with every chunk received, so we use our own deadline instead.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Close an idle connection before most servers would, to avoid reusing one that is closing.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 10_000,
} satisfies Client.Options;

class Connection {
  readonly peer: string;
  readonly #client: Client;
  readonly #mayReuse: boolean;
  #exchange: Exchange | undefined;
  /** True once a connection has been opened for the current exchange. */
  #hasConnected = false;
  readonly #connecting = new AbortController();

  /** `onIdleClosed` is called if the connection closes between two exchanges. */
  constructor(request: WireRequest, connector: GuardedConnector, onIdleClosed: () => void) {
    const { url, tls } = request;
    this.peer = peerOf(request);
    this.#mayReuse = request.mayReuse;
    const onStage = (stage: Stage) => this.#exchange?.onConnecting(stage);
    const connect: Client.Options['connect'] = (_options, callback) => {
      // If a connection ended before the request was sent, undici would keep opening new ones.
      if (this.#hasConnected) return queueMicrotask(() => callback(spokeFirst(url), null));
      this.#hasConnected = true;
      connector.connect({ url, tls }, onStage, this.#connecting.signal).then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      );
    };
    this.#client = new Client(url.origin, { ...OPTIONS, connect }).on('disconnect', () => {
      if (this.#exchange === undefined) onIdleClosed();
    });
  }

  get isIdle(): boolean {
    return this.#mayReuse && this.#exchange === undefined;
  }

  send({ method, url, headers, body, mayReuse }: WireRequest, exchange: Exchange): void {
    this.#exchange = exchange;
    this.#hasConnected = false;
    const path = `${url.pathname}${url.search}`;
    // `reset` sends `connection: close`.
    const options = { origin: url.origin, path, method, headers, body: body ?? null };
    this.#client.dispatch({ ...options, reset: !mayReuse }, exchange);
  }

  release(): void {
    this.#exchange = undefined;
  }

  async destroy(): Promise<void> {
    this.#connecting.abort();
    await this.#client.destroy(ABORTED);
  }
}

function spokeFirst({ host }: URL): TransportError {
  const message = `\`${host}\` sent data, or closed the connection, before the request was sent.`;
  return new TransportError('connection', message);
}
