import { copyFile, mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Processes } from '../../../dev/processes.ts';
import { mainOf } from '../../../dev/services.ts';

const READY_MS = 30_000;

/** Settings of ours in the caller's shell would change what the demo shows. */
const OUR_SETTINGS =
  /^(?:POLICY|HTTP_EXECUTOR|EXECUTOR|GATEWAY)_|^(?:LOG_LEVEL|SHUTDOWN_GRACE_MS)$/;

/**
 * A json-server with products, customers and orders, on a copy of `db.json` in `folder`;
 * its URL.
 */
export async function startShop(processes: Processes, folder: string): Promise<string> {
  const db = join(folder, 'db.json');
  await copyFile(new URL('./db.json', import.meta.url), db);
  await mkdir(join(folder, 'public'));
  const port = await freePort();
  const shop = processes.start({
    name: 'json-server',
    main: fileURLToPath(import.meta.resolve('json-server/lib/bin.js')),
    args: [db, '--port', String(port)],
    // In production it does not watch its file, which it would read again amid its own
    // writes, but it wants `public`.
    env: { ...process.env, NODE_ENV: 'production' },
    cwd: folder,
    output: 'capture',
  });
  await shop.printed(/JSON Server started/, READY_MS);
  return `http://127.0.0.1:${port}`;
}

/** Policy, executor, and the gateway that asks both over HTTP; the URL of the gateway. */
export async function startGateway(processes: Processes): Promise<string> {
  const [policy, executor] = await Promise.all([
    startService(processes, 'policy', mainOf('policy'), { POLICY_BIND_ADDR: '127.0.0.1:0' }),
    startService(processes, 'executor', mainOf('executor'), {
      HTTP_EXECUTOR_BIND_ADDR: '127.0.0.1:0',
    }),
  ]);
  const settings = { GATEWAY_BIND_ADDR: '127.0.0.1:0', POLICY_URL: policy, EXECUTOR_URL: executor };
  return await startService(
    processes,
    'gateway',
    fileURLToPath(new URL('../src/main.ts', import.meta.url)),
    settings,
  );
}

/** A service takes any free port and says in its log which one. */
async function startService(
  processes: Processes,
  name: string,
  main: string,
  settings: Record<string, string>,
): Promise<string> {
  const neutral = Object.fromEntries(
    Object.entries(process.env).filter(([variable]) => !OUR_SETTINGS.test(variable)),
  );
  const service = processes.start({
    name,
    main,
    env: { ...neutral, ...settings },
    output: 'capture',
  });
  const [, url = ''] = await service.printed(/listening at (http:[^"]+)/, READY_MS);
  return url;
}

/**
 * For json-server, which cannot say which free port it took. Listens as it does: on all
 * addresses.
 */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
