import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '../../dev/service-process.ts';
import { pin, SERVER_CORE } from './cores.ts';

/** A server in a process of its own, which writes its log to a file. */
export interface Subject extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds of processor time so far, all threads; NaN where nothing tells. */
  cpuMs(): number;
}

const START_MS = 20_000;
const POLL_MS = 20;
/** `/proc` counts in hundredths of a second. */
const TICK_MS = 10;

/** Starts a program that prints where it listens; on this core, where that can be chosen. */
export async function startSubject(
  main: string,
  core: number,
  env: NodeJS.ProcessEnv = {},
): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const log = join(folder, 'log');
  const output = openSync(log, 'a');
  const path = fileURLToPath(new URL(main, import.meta.url));
  const child = spawn(process.execPath, [path], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ['ignore', output, output],
  });
  const pid = child.pid ?? 0;
  pin(pid, core);
  return {
    url: await printedUrl(log, main),
    pid,
    cpuMs: () => cpuMs(pid),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

const SERVICES = {
  policy: { main: '../../services/policy/src/main.ts', address: 'POLICY_BIND_ADDR' },
  executor: { main: '../../services/executor/src/main.ts', address: 'HTTP_EXECUTOR_BIND_ADDR' },
};

/** One of the services as an operator starts it, on the core of the server under test. */
export function startService(
  service: keyof typeof SERVICES,
  env: NodeJS.ProcessEnv = {},
): Promise<Subject> {
  const { main, address } = SERVICES[service];
  return startSubject(main, SERVER_CORE, { [address]: '127.0.0.1:0', ...env });
}

async function printedUrl(log: string, name: string): Promise<string> {
  for (let waited = 0; waited < START_MS; waited += POLL_MS) {
    const [url] = /http:\/\/[\d.]+:\d+/.exec(readFileSync(log, 'utf8')) ?? [];
    if (url !== undefined) return url;
    await delay(POLL_MS);
  }
  throw new Error(
    `${name} did not say where it listens within ${START_MS} ms.\n${readFileSync(log, 'utf8')}`,
  );
}

function cpuMs(pid: number): number {
  try {
    const [, user = 'NaN', system = 'NaN'] =
      /\) (?:\S+ ){11}(\d+) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return (Number(user) + Number(system)) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}
