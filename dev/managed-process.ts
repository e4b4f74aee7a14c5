import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';

/** A Node program to run as a child process. */
export interface ProcessSpec {
  /** For messages. */
  readonly name: string;
  /** The path of its main file. */
  readonly main: string;
  readonly args?: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Its working directory; that of this process when absent. */
  readonly cwd?: string;
  /**
   * `inherit` shows what it prints as its own; `capture` keeps it for `printed` and for
   * messages.
   */
  readonly output: 'inherit' | 'capture';
}

/** How a process ended: with a code, or by a signal. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const LIFELINE = new URL('./lifeline.ts', import.meta.url).href;

/** The latest characters of captured output that are kept. */
const KEPT_OUTPUT = 16_384;

/** A child process from its start to its end. */
export class ManagedProcess {
  readonly name: string;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  #output = '';
  #stopping = false;

  /**
   * INVARIANT: `detached` gives the child its own process group, so that a Ctrl-C reaches
   * it through us only.
   */
  constructor({ name, main, args = [], env, cwd = '.', output }: ProcessSpec) {
    this.name = name;
    const out = output === 'inherit' ? 'inherit' : 'pipe';
    const stdio: StdioOptions = ['ignore', out, out, 'ipc'];
    const argv = ['--import', LIFELINE, main, ...args];
    this.#child = spawn(process.execPath, argv, { env, cwd, detached: true, stdio });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#keep(text));
    }
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#keep(error.message);
        resolve({ code: 1, signal: null });
      });
      this.#child.once('close', (code, signal) => resolve({ code, signal }));
    });
  }

  /** Its id, and that of its process group; 0 when it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The latest captured output. */
  get output(): string {
    return this.#output;
  }

  /**
   * What captured output matches first; rejects with that output when the process ends
   * before, or in `timeoutMs`.
   */
  printed(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const look = () => {
      const match = pattern.exec(this.#output);
      if (match !== null) resolve(match);
    };
    const give = (why: string) =>
      reject(new Error(`${this.name} ${why}.\n${this.#output}`.trimEnd()));
    const timer = setTimeout(() => give(`did not get ready within ${timeoutMs} ms`), timeoutMs);
    this.ended.then((ending) => give(`ended ${describeEnding(ending)} before it was ready`));
    this.#child.stdout?.on('data', look);
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#child.stdout?.off('data', look);
    });
  }

  /**
   * Sends one SIGTERM, however often it is called, and SIGKILL if the process still runs
   * after `graceMs`.
   */
  stop(graceMs: number): Promise<Ending> {
    if (!this.#stopping) {
      this.#stopping = true;
      this.#child.kill('SIGTERM');
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs);
      this.ended.then(() => clearTimeout(timer));
    }
    return this.ended;
  }

  /**
   * Whether it ended as it should: with 0, or by the SIGTERM that it got from us before
   * it could handle one.
   */
  endedWell({ code, signal }: Ending): boolean {
    return code === 0 || (this.#stopping && signal === 'SIGTERM');
  }

  #keep(text: string): void {
    this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
  }
}

/** `with code 1`, `by SIGKILL`. */
export function describeEnding({ code, signal }: Ending): string {
  return signal === null ? `with code ${code}` : `by ${signal}`;
}
