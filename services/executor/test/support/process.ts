import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { clientOf, type Executor } from './executor.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

type Environment = Readonly<Record<string, string>>;

export interface ServiceProcess extends Executor {
  readonly pid: number | undefined;
  /** All that it has written, on both streams. */
  readonly output: string;
  /** The log lines so far. */
  lines(): Record<string, unknown>[];
  signal(name: NodeJS.Signals): void;
  /** The code it ends with; null when a signal ended it. */
  readonly exitCode: Promise<number | null>;
}

interface Child {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly exitCode: Promise<number | null>;
  output(): string;
}

function spawnService(env: Environment): Child {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => chunks.push(text));
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  return { child, exitCode, output: () => chunks.join('') };
}

/** Starts the service as an operator would, on a free port of loopback. */
export async function startProcess(env: Environment = {}): Promise<ServiceProcess> {
  const { child, exitCode, output } = spawnService({
    HTTP_EXECUTOR_BIND_ADDR: '127.0.0.1:0',
    ...env,
  });
  const lines = () =>
    output()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const url = await vi.waitFor(
    async () => {
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output()) ?? [];
      if (found === undefined) throw new Error(`not listening yet: ${output()}`);
      await fetch(`${found}/readyz`);
      return found;
    },
    { timeout: 25_000, interval: 20 },
  );
  return {
    ...clientOf(url),
    pid: child.pid,
    get output() {
      return output();
    },
    lines,
    signal: (name) => child.kill(name),
    exitCode,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exitCode;
    },
  };
}

/** Runs the service to its end, for settings it cannot start with. */
export async function runToExit(
  env: Environment,
): Promise<{ code: number | null; output: string }> {
  const { exitCode, output } = spawnService({ HTTP_EXECUTOR_BIND_ADDR: '127.0.0.1:0', ...env });
  return { code: await exitCode, output: output() };
}
