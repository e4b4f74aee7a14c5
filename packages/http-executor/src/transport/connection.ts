import { Client, type Dispatcher } from 'undici';
import type { WireRequest } from '../transport.ts';
import type { GuardedConnector } from './connect.ts';
import type { Exchange } from './exchange.ts';
import { ABORTED } from './faults.ts';

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
export class Connection {
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
