import { execFileSync } from 'node:child_process';

/** The server under test has a core of its own; the load and the upstream share another. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** Holds a process and all its threads to one core; false: that cannot be done here. */
export function pin(pid: number, core: number): boolean {
  try {
    execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Holds this process and all that it starts to the core of the load. */
export function pinLoad(): void {
  if (!pin(process.pid, LOAD_CORE)) {
    console.error('Without `taskset` all processes share all cores; the figures say less.');
  }
}

/** Whether the system has this program. */
export function isOnPath(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
