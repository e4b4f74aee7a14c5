import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export type Ended = { code: number | null; signal: NodeJS.Signals | null };

/**
 * services/policy/src/main.ts as a process of its own; killed, if it still runs, when
 * disposed of.
 */
export interface PolicyProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  /** How the process ended; its output is complete then. */
  readonly ended: Promise<Ended>;
  /** The lines on stdout so far that are JSON objects. */
  log(): Record<string, unknown>[];
  stderr(): string;
  /** The port that the log names, once it does; fails when the process ends before. */
  listening(): Promise<number>;
}

/**
 * Starts the process with these settings and nothing else of this process's environment.
 */
export function spawnPolicy(settings: Record<string, string>): PolicyProcess {
  const child = spawn(process.execPath, [MAIN], {
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal }));
  return {
    child,
    ended,
    log: () => jsonLines(output.stdout),
    stderr: () => output.stderr,
    listening: async () => {
      let port: number | undefined;
      while (port === undefined) {
        if (child.exitCode !== null) throw new Error(`the process ended: ${output.stderr}`);
        await Promise.race([once(child.stdout, 'data'), ended]);
        port = portIn(jsonLines(output.stdout));
      }
      return port;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

function portIn(log: readonly Record<string, unknown>[]): number | undefined {
  const address = log
    .map(({ msg }) => /http:\/\/127\.0\.0\.1:(\d+)/.exec(String(msg)))
    .find((match) => match !== null);
  return address === undefined ? undefined : Number(address[1]);
}
