// This module is preloaded into the services that `pnpm start` runs. It reports where they listen
// and when they are ready, and sends SIGTERM to a service if the program that started it is gone.

import { subscribe } from 'node:diagnostics_channel';
import type { AddressInfo, Server } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { isMainThread } from 'node:worker_threads';

export interface Listening {
  readonly address: string;
  readonly port: number;
  readonly secure: boolean;
}

const end = () => process.kill(process.pid, 'SIGTERM');
// Worker threads load this file as well, but have no channel to the parent.
if (isMainThread) {
  subscribe('tracing:net.server.listen:asyncEnd', (message) => {
    const { server } = message as { readonly server: Server };
    const { address, port } = server.address() as AddressInfo;
    process.send?.({ address, port, secure: server instanceof TlsServer } satisfies Listening);
  });
  subscribe('gatehouse.ready', () => process.send?.({ ready: true }));
  process.once('disconnect', end);
  process.channel?.unref();
  if (!process.connected) end();
}
