import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from './banner.ts';
import { mainOf } from './build-services.ts';
import type { Listening } from './lifeline.ts';

/** How a process ended: with a code, or by a signal. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Without it a start strips all types anew, which takes half of its time and 28 MiB. */
export const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/node');

/** What a service is started with, as its image is, unless the environment says otherwise. */
export function serviceEnv(name: ServiceName): NodeJS.ProcessEnv {
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE };
  // Memory of garbage, compilers and ended threads: 30 MiB less (docs/performance.md).
  const lean = { NODE_OPTIONS: '--max-semi-space-size=16', MALLOC_ARENA_MAX: '2' };
  return name === 'executor' ? { ...env, ...lean } : env;
}
const LIFELINE = new URL('./lifeline.ts', import.meta.url).href;

/** One of our services as a child process that does not outlive this one. */
export class ServiceProcess {
  readonly name: ServiceName;
  readonly listening: Promise<Listening>;
  /** Where it listens, once `/readyz` answers 200. */
  readonly ready: Promise<Listening>;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  #stopping = false;

  /**
   * INVARIANT: `detached` gives the child its own process group, so that a Ctrl-C reaches
   * it through us only.
   */
  constructor(name: ServiceName, watch: boolean) {
    this.name = name;
    const source = join(ROOT, 'services', name, 'src/main.ts');
    const main = watch ? ['--watch', source] : [mainOf(name)];
    this.#child = spawn(process.execPath, ['--import', LIFELINE, ...main], {
      detached: true,
      env: { ...serviceEnv(name), ...process.env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    // `--watch` sends messages of its own.
    const message = <T extends object>(member: keyof T) =>
      new Promise<T>((resolve) => {
        this.#child.on('message', (sent: T) => member in sent && resolve(sent));
      });
    this.listening = message<Listening>('port');
    this.ready = message<{ ready: true }>('ready').then(() => this.listening);
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve({ code, signal }));
    });
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends one SIGTERM, and SIGKILL if the process still runs after `ms`. */
  async stop(ms: number): Promise<Ending> {
    this.#stopping = true;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), ms);
    return await this.ended.finally(() => clearTimeout(timer));
  }

  /** Ended with 0, or by our SIGTERM before it could handle one. */
  endedWell({ code, signal }: Ending): boolean {
    return code === 0 || (this.#stopping && signal === 'SIGTERM');
  }
}
