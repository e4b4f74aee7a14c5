// `pnpm start` preloads this module into each service. The module reports the service's address,
// and stops the service with SIGTERM when the parent process, `pnpm start`, exits.

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
// Worker threads also load this file, but cannot talk to the parent process.
if (isMainThread) {
  subscribe('tracing:net.server.listen:asyncEnd', (message) => {
    const { server } = message as { readonly server: Server };
    const { address, port } = server.address() as AddressInfo;
    process.send?.({ address, port, secure: server instanceof TlsServer } satisfies Listening);
  });
  process.once('disconnect', end);
  process.channel?.unref();
  if (!process.connected) end();
}
