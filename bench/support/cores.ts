import { execFileSync } from 'node:child_process';

/** The server under test has a core of its own. The load and the upstream share a different one. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/**
 * Pins a process and its threads to one core. Returns false if the system does not support this.
 */
export function pin(pid: number, core: number): boolean {
  try {
    execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export function pinLoad(): void {
  if (!pin(process.pid, LOAD_CORE)) {
    console.error(
      '`taskset` is missing, so all processes share all cores and the figures are less reliable.',
    );
  }
}

export function isOnPath(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
