import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** How a process ended: with an exit code, or by a signal. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Launch {
  readonly args?: readonly string[];
  /** Environment variables. The program inherits only PATH from the test process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Starts the program in a process group of its own, as a terminal does. */
  readonly detached?: boolean;
  /** Folder in which the program runs. */
  readonly cwd?: string;
}

/** Folder of Node's compile cache, which speeds up later starts. */
export const COMPILE_CACHE = fileURLToPath(
  new URL('../../../node_modules/.cache/node', import.meta.url),
);

/** Process that a test started. Disposing of the object kills the process. */
export class TestProcess implements AsyncDisposable {
  /** Output so far. */
  stdout = '';
  stderr = '';
  /** Resolves when the process has ended and its output is complete. */
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;

  constructor(command: string, args: readonly string[], { env = {}, ...options }: Launch) {
    const { detached = false, cwd } = options;
    this.#child = spawn(command, args, { env, detached, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const name of ['stdout', 'stderr'] as const)
      this.#child[name].setEncoding('utf8').on('data', (text: string) => {
        this[name] += text;
      });
    this.ended = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get output(): string {
    return this.stdout + this.stderr;
  }

  /** Returns the JSON objects that the program has logged to stdout so far, one from each line. */
  lines(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  }

  /** Waits until the output matches `pattern`. Rejects if the process ends without a match. */
  async printed(pattern: RegExp, on: 'stdout' | 'stderr' = 'stdout'): Promise<RegExpExecArray> {
    let running = true;
    for (;;) {
      const match = pattern.exec(this[on]);
      if (match !== null) return match;
      if (!running) throw new Error(`The process ended. It wrote: ${this.output}`);
      const more = once(this.#child[on], 'data').then(() => true);
      running = await Promise.race([more, this.ended.then(() => false)]);
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  stop(): Promise<Ending> {
    this.signal('SIGTERM');
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }
}

/** Starts a program, or runs a TypeScript or JavaScript file with Node. */
export function startProcess(program: string | URL, launch: Launch = {}): TestProcess {
  const { args = [], env } = launch;
  const path = program instanceof URL ? fileURLToPath(program) : program;
  const [command, ...rest] = /\.[mc]?[jt]s$/.test(path)
    ? [process.execPath, path, ...args]
    : [path, ...args];
  const { PATH } = process.env;
  const whole = { PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env };
  return new TestProcess(command, rest, { ...launch, env: whole });
}
