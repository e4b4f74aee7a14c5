import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Preview, Transport } from '../transport.ts';
import { type GuardedConnectOptions, GuardedConnector } from './connect.ts';
import { Connections } from './connections.ts';
import { Lookups, SYSTEM_LOOKUPS, systemResolve, UNLIMITED } from './lookups.ts';

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
  const { resolve = systemResolve } = options;
  const limits = options.lookupLimits ?? (resolve === systemResolve ? SYSTEM_LOOKUPS : UNLIMITED);
  const connector = new GuardedConnector(sandbox, new Lookups(resolve, limits), options);
  const connections = new Connections(connector);
  return {
    send: connections.send,
    preview: (url, signal) => connector.preview(url, signal),
    close: () => connections.close(),
  };
}
