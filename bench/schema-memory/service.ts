import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../services/executor/src/main.ts', import.meta.url));

export interface Service {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The executor as an operator starts it, in a process of its own. */
export async function startService(): Promise<Service> {
  const port = await freePort();
  const { PATH = '' } = process.env;
  const env = { PATH, HTTP_EXECUTOR_BIND_ADDR: `127.0.0.1:${port}`, LOG_LEVEL: 'fatal' };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const closed = once(child, 'close');
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`the executor ended with ${child.exitCode}`);
    await sleep(50);
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await closed;
  };
  return { url, pid: child.pid ?? 0, stop };
}

/** Answers everything with a small object. */
export async function startUpstream(): Promise<{ origin: string; server: Server }> {
  const server = createServer((_request, response) => response.end('{"id":1,"name":"one"}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
