import { Agent, Client, type Dispatcher, Pool } from 'undici';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Preview, Transport, WireRequest } from '../transport.ts';
import { type GuardedConnectOptions, GuardedConnector } from './connect.ts';
import { Line } from './connection.ts';
import { Exchange } from './exchange.ts';
import { Lookups, SYSTEM_LOOKUPS, systemResolve, UNLIMITED } from './lookups.ts';

/** Shorter than servers commonly keep an idle connection, so that few requests meet a stale one. */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MAX_MS = 10_000;

const SHARED_OPTIONS = {
  allowH2: false,
  // Attempts have deadlines; undici's tick too coarsely, and a slow drip evades them.
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
} satisfies Agent.Options;

export interface UndiciTransport {
  readonly send: Transport;
  readonly preview: Preview;
  /** Drops all connections. */
  close(): Promise<void>;
}

/**
 * The transport over undici. Connections are pooled per origin, except for requests that
 * must not meet a stale one (POST and PATCH, which are never sent twice) or leave bytes behind
 * on one (a body on a method without).
 */
export function undiciTransport(
  sandbox: Sandbox,
  options: GuardedConnectOptions = {},
): UndiciTransport {
  const { resolve = systemResolve } = options;
  const limits = options.lookupLimits ?? (resolve === systemResolve ? SYSTEM_LOOKUPS : UNLIMITED);
  const lookups = new Lookups(resolve, limits);
  const connector = new GuardedConnector(sandbox, lookups, options);
  const pooled = agentOver(connector, { ...SHARED_OPTIONS, pipelining: 1 });
  const oneShot = agentOver(connector, { ...SHARED_OPTIONS, pipelining: 0 });
  return {
    send: (request, handler) => {
      const dispatch = toDispatch(request);
      const afresh = () => void oneShot.dispatch(dispatch, exchange);
      const own = needsOwnConnection(request);
      const exchange = new Exchange(request.url, handler, own ? undefined : afresh);
      if (own) afresh();
      else pooled.dispatch(dispatch, exchange);
      return () => exchange.abort();
    },
    preview: (url, onAbort) => connector.preview(url, onAbort),
    close: async () => {
      await Promise.all([pooled.destroy(), oneShot.destroy()]);
    },
  };
}

/** An agent whose clients tell an exchange on which line it is. */
function agentOver(connector: GuardedConnector, options: Client.Options): Agent {
  const factory = (origin: URL) => new LineClient(origin, options, connector);
  return new Agent({ factory: (origin) => new Pool(origin, { ...options, factory }) });
}

class LineClient extends Client {
  readonly #line: Line;

  constructor(origin: URL, options: Client.Options, connector: GuardedConnector) {
    const line = new Line();
    super(origin, { ...options, connect: connector.connectorOf(line) });
    this.#line = line;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (handler instanceof Exchange) {
      handler.line = this.#line;
      this.#line.next = handler;
    }
    return super.dispatch(options, handler);
  }
}

function needsOwnConnection({ method, body }: WireRequest): boolean {
  return method === 'POST' || method === 'PATCH' || (body !== undefined && method !== 'PUT');
}

function toDispatch({ method, url, headers, body }: WireRequest): Dispatcher.DispatchOptions {
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers,
    body: body ?? null,
  };
}
