import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';

const SERVICES = {
  policy: { main: 'services/policy/src/main.ts', bind: 'POLICY_BIND_ADDR' },
  executor: { main: 'services/executor/src/main.ts', bind: 'HTTP_EXECUTOR_BIND_ADDR' },
};
const ROOT = new URL('../../../', import.meta.url);

/** Both services as processes of their own, with some traffic behind them. */
export interface Stack extends AsyncDisposable {
  readonly policy: string;
  readonly executor: string;
}

export async function startStack(): Promise<Stack> {
  const children: ChildProcess[] = [];
  const [policy, executor] = await Promise.all([
    start('policy', children),
    start('executor', children),
  ]);
  await makeTraffic(policy, executor);
  return { policy, executor, [Symbol.asyncDispose]: () => stopAll(children) };
}

/** Starts a service as a process of its own, among the children, and gives its URL. */
export async function start(
  service: keyof typeof SERVICES,
  children: ChildProcess[],
): Promise<string> {
  const { main, bind } = SERVICES[service];
  const env = { PATH: process.env.PATH ?? '', [bind]: '127.0.0.1:0' };
  const child = spawn(process.execPath, [fileURLToPath(new URL(main, ROOT))], {
    env,
    stdio: 'pipe',
  });
  children.push(child);
  return await listening(child);
}

/** The URL that a service logs when it listens. */
function listening(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  return vi.waitFor(
    () => {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (url === undefined) throw new Error(`not listening yet: ${output}`);
      return url;
    },
    { timeout: 15_000, interval: 20 },
  );
}

/** A decision, a refusal, a success and an execution with retries. */
async function makeTraffic(policy: string, executor: string): Promise<void> {
  const post = async (url: string, body: object) =>
    (
      await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).status;
  await post(`${policy}/policy/check`, { spend: { amount_minor_units: 1, currency: 'EUR' } });
  await post(`${executor}/execute`, { method: 'GET', url: 'http://elsewhere.example/' });
  await post(`${executor}/execute`, { method: 'GET', url: `${policy}/healthz` });
  await post(`${executor}/execute`, {
    method: 'GET',
    url: `http://127.0.0.1:${await freePort()}/`,
  });
}

/** A port of loopback that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export async function stopAll(children: readonly ChildProcess[]): Promise<void> {
  const running = children.filter(
    ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
  );
  const closed = running.map((child) => once(child, 'close'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(closed);
}
