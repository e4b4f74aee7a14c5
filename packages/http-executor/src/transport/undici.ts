import { isIP } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import type { OnCutOff } from '../attempt/deadline.ts';
import { portOf } from '../sandbox/allowlist.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Preview, Transport, WireRequest } from '../transport.ts';
import {
  connectingFor,
  entryOf,
  faultOfDestination,
  type GuardedConnectOptions,
  guardedConnect,
} from './connect.ts';
import { Exchange } from './exchange.ts';
import { toTransportError } from './faults.ts';
import { Lookups, SYSTEM_LOOKUPS, systemResolve, UNLIMITED } from './lookups.ts';

/**
 * An idle connection is dropped well before servers commonly do, so that few requests
 * meet a stale one.
 */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MAX_MS = 10_000;

const SHARED_OPTIONS = {
  allowH2: false,
  // The pipeline has deadlines of its own; undici's tick too coarsely and a 1xx flood or
  // a slow drip evades them.
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
 * must never meet a stale connection (POST and PATCH, which are not retried) or leave
 * bytes behind on one (a body on a method without).
 */
export function undiciTransport(
  sandbox: Sandbox,
  options: GuardedConnectOptions = {},
): UndiciTransport {
  const {
    resolve = systemResolve,
    lookupLimits = resolve === systemResolve ? SYSTEM_LOOKUPS : UNLIMITED,
  } = options;
  const lookups = new Lookups(resolve, lookupLimits);
  const connect = guardedConnect(sandbox, lookups, options);
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
    preview: async (url, onCutOff) => {
      try {
        const addresses = await addressesOf(url, sandbox, lookups, onCutOff);
        return judged(addresses, url, sandbox, options.ownPort?.());
      } catch (error) {
        throw toTransportError(error, url, false);
      }
    },
    close: async () => {
      await Promise.all([pooled.destroy(), oneShot.destroy()]);
    },
  };
}

function addressesOf(
  url: URL,
  sandbox: Sandbox,
  lookups: Lookups,
  onCutOff: OnCutOff,
): Promise<string[]> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(hostname) !== 0) return Promise.resolve([hostname]);
  return new Promise((resolve, reject) => {
    const leave = lookups.find(hostname, entryOf(sandbox, url), (error, answers) => {
      if (error === null) resolve(answers.map(({ address }) => address));
      else reject(error);
    });
    onCutOff(leave);
  });
}

/** Judges addresses as a connection would. */
function judged(
  addresses: string[],
  url: URL,
  sandbox: Sandbox,
  ownPort: number | undefined,
): string[] {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  for (const address of addresses) {
    const fault = faultOfDestination(sandbox, { hostname, address, port: portOf(url) }, ownPort);
    if (fault !== undefined) throw fault;
  }
  return addresses;
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
