import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildServices, mainOf } from '../../dev/build-services.ts';
import { COMPILE_CACHE, serviceEnv } from '../../dev/service-process.ts';
import { pin, SERVER_CORE } from './cores.ts';

export interface Subject extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Returns the processor time that the server has used, in milliseconds. NaN without `/proc`. */
  cpuMs(): number;
  /** Returns the signal or the exit code with which the server has ended, if it has. */
  ending(): string | number | undefined;
}

const START_MS = 20_000;
const POLL_MS = 20;
/** Unit of processor time in `/proc`: a hundredth of a second. */
const TICK_MS = 10;

interface Start {
  readonly core?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Group of processes to which the server belongs from its start. */
  readonly group?: { add(pid: number): void } | undefined;
}

/** Folder of the code to measure: the environment variable `CHECKOUT`, or this repository. */
export const ROOT = resolve(
  process.env.CHECKOUT ?? fileURLToPath(new URL('../..', import.meta.url)),
);
buildServices(ROOT);

/** Starts a program that prints its address. A relative path in `main` is relative to this file. */
export async function startSubject(
  main: string,
  { core, env = {}, group }: Start = {},
): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const log = join(folder, 'log');
  const output = openSync(log, 'a');
  const path = fileURLToPath(new URL(main, import.meta.url));
  const child = spawn(process.execPath, [path], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const pid = child.pid ?? 0;
  group?.add(pid);
  if (core !== undefined) pin(pid, core);
  const ending = () => child.signalCode ?? child.exitCode ?? undefined;
  const hasEnded = () => ending() !== undefined;
  const dispose = async () => {
    process.off('exit', kill);
    child.kill('SIGTERM');
    if (!hasEnded()) await once(child, 'exit');
    rmSync(folder, { recursive: true });
  };
  const url = await printedUrl(log, hasEnded);
  return { url, pid, ending, cpuMs: () => cpuMs(pid), [Symbol.asyncDispose]: dispose };
}

export const SERVICES = {
  policy: { main: mainOf('policy', ROOT), address: 'POLICY_BIND_ADDR' },
  executor: { main: mainOf('executor', ROOT), address: 'HTTP_EXECUTOR_BIND_ADDR' },
};
export type ServiceName = keyof typeof SERVICES;

export function startService(service: ServiceName, env: NodeJS.ProcessEnv = {}): Promise<Subject> {
  const { main, address } = SERVICES[service];
  const bound = { ...serviceEnv(service), [address]: '127.0.0.1:0', ...env };
  return startSubject(main, { core: SERVER_CORE, env: bound });
}

async function printedUrl(log: string, hasEnded: () => boolean): Promise<string> {
  const written = () => readFileSync(log, 'utf8');
  for (let waited = 0; waited < START_MS && !hasEnded(); waited += POLL_MS) {
    const [url] = /http:\/\/[\d.]+:\d+/.exec(written()) ?? [];
    if (url !== undefined) return url;
    await delay(POLL_MS);
  }
  throw new Error(`The server did not print its address within ${START_MS} ms:\n${written()}`);
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
