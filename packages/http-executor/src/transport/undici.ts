import { isIP } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { portOf } from '../allowlist.ts';
import type { Sandbox } from '../sandbox.ts';
import type { Preview, Transport, WireRequest } from '../transport.ts';
import {
  connectingFor,
  faultOfDestination,
  type GuardedConnectOptions,
  guardedConnect,
  type Resolve,
  systemResolve,
} from './connect.ts';
import { Exchange } from './exchange.ts';
import { toTransportError } from './faults.ts';

/** An idle connection is dropped well before servers commonly do, so that few requests meet a stale one. */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MAX_MS = 10_000;

const SHARED_OPTIONS = {
  allowH2: false,
  // The pipeline has deadlines of its own; undici's tick too coarsely and a 1xx flood or a slow drip evades them.
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
 * The transport over undici. Connections are pooled per origin, except for requests that must never meet a stale
 * connection (POST and PATCH, which are not retried) or leave bytes behind on one (a body on a method without).
 */
export function undiciTransport(sandbox: Sandbox, options: GuardedConnectOptions = {}): UndiciTransport {
  const connect = guardedConnect(sandbox, options);
  const pooled = new Agent({ ...SHARED_OPTIONS, connect, pipelining: 1 });
  const oneShot = new Agent({ ...SHARED_OPTIONS, connect, pipelining: 0 });

  const send: Transport = (request, handler) => {
    const agent = needsOwnConnection(request) ? oneShot : pooled;
    const exchange = new Exchange(request.url, handler);
    connectingFor(exchange, () => agent.dispatch(toDispatch(request), exchange));
    return () => exchange.abandon();
  };
  return {
    send,
    preview: (url) =>
      preview(url, sandbox, options).catch((error) => {
        throw toTransportError(error, url);
      }),
    close: async () => {
      await Promise.all([pooled.destroy(), oneShot.destroy()]);
    },
  };
}

/** Resolves and judges as a connection would, and goes no further. */
async function preview(url: URL, sandbox: Sandbox, { resolve, ownPort }: GuardedConnectOptions): Promise<string[]> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(hostname) === 0 ? await resolveAll(hostname, resolve ?? systemResolve) : [hostname];
  for (const address of addresses) {
    const fault = faultOfDestination(sandbox, { hostname, address, port: portOf(url) }, ownPort?.());
    if (fault !== undefined) throw fault;
  }
  return addresses;
}

function resolveAll(hostname: string, resolve: Resolve): Promise<string[]> {
  return new Promise((settle, reject) => {
    resolve(hostname, (error, answers) => {
      if (error === null) settle(answers.map(({ address }) => address));
      else reject(error);
    });
  });
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
