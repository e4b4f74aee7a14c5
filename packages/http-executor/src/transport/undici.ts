import { isIP } from 'node:net';
import type { ResponseHeaders } from '@gatehouse/contracts';
import { Agent, type Dispatcher } from 'undici';
import { portOf } from '../allowlist.ts';
import type { Sandbox } from '../sandbox.ts';
import type { Preview, Transport, WireRequest } from '../transport.ts';
import {
  faultOfDestination,
  type GuardedConnectOptions,
  guardedConnect,
  type Resolve,
  requestSignal,
  systemResolve,
} from './connect.ts';
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

  const send: Transport = async (request, signal) => {
    try {
      const agent = needsOwnConnection(request) ? oneShot : pooled;
      const response = await requestSignal.run(signal, () => agent.request(toDispatch(request, signal)));
      return {
        status: response.statusCode,
        headers: readHeaders(response),
        body: translated(response.body, request.url),
      };
    } catch (error) {
      throw toTransportError(error, request.url);
    }
  };
  /** The body's chunks, with undici's errors as ours. */
  async function* translated(body: AsyncIterable<Uint8Array>, url: URL): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      throw toTransportError(error, url);
    }
  }
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

function toDispatch({ method, url, headers, body }: WireRequest, signal: AbortSignal): Dispatcher.RequestOptions {
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers: [...headers].flat(),
    ...(body === undefined ? {} : { body }),
    signal,
    responseHeaders: 'raw',
  };
}

/** Lower-case names without a prototype; repeated headers become an array. */
function readHeaders(response: Dispatcher.ResponseData): ResponseHeaders {
  const raw = response.headers as unknown as readonly string[];
  const headers: ResponseHeaders = Object.create(null);
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = String(raw[index]).toLowerCase();
    const value = String(raw[index + 1]);
    const earlier = headers[name];
    headers[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  return headers;
}
