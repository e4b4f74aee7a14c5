import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ServiceName } from './banner.ts';
import { mainOf } from './build-services.ts';
import type { Listening } from './lifeline.ts';

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const ROOT = join(import.meta.dirname, '..');
/** Folder for Node's compile cache. The cache halves the startup time and saves 28 MiB of RAM. */
export const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/node');

/** Returns the environment variables that a service's Docker image sets. */
export function serviceEnv(name: ServiceName): NodeJS.ProcessEnv {
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE };
  // These options save memory, and return it after large bodies (docs/performance.md).
  const malloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };
  const lean = { NODE_OPTIONS: '--max-semi-space-size=16', ...malloc };
  return name === 'executor' ? { ...env, ...lean } : env;
}

const LIFELINE = new URL('./lifeline.ts', import.meta.url).href;

/** Runs one of our services as a child process that does not outlive this process. */
export class ServiceProcess {
  readonly name: ServiceName;
  /** Resolves with the service's address once it accepts requests. */
  readonly listening: Promise<Listening>;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  #stopping = false;

  constructor(name: ServiceName, watch: boolean) {
    this.name = name;
    const source = join(ROOT, 'services', name, 'src/main.ts');
    const main = watch ? ['--watch', source] : [mainOf(name)];
    this.#child = spawn(process.execPath, ['--import', LIFELINE, ...main], {
      // INVARIANT: The child has its own process group, so that Ctrl-C never reaches it directly.
      detached: true,
      env: { ...serviceEnv(name), ...process.env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.listening = new Promise((resolve) => {
      // Node's `--watch` also sends messages, so ignore messages without a port.
      this.#child.on('message', (sent: Listening) => 'port' in sent && resolve(sent));
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve({ code, signal }));
    });
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends SIGTERM once, and SIGKILL if the process is still running after `ms` milliseconds. */
  async stop(ms: number): Promise<Ending> {
    this.#stopping = true;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), ms);
    return await this.ended.finally(() => clearTimeout(timer));
  }

  /** True if the process exited with code 0, or if `stop` killed it during startup. */
  endedWell({ code, signal }: Ending): boolean {
    return code === 0 || (this.#stopping && signal === 'SIGTERM');
  }
}
