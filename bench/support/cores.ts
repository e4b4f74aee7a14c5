import { spawnSync } from 'node:child_process';

/** Processor core of the server under test. The load generator runs on `LOAD_CORE`. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const succeeds = (program: string, ...args: string[]) =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** Pins a process and its threads to one core. Returns false if `taskset` fails or is missing. */
export const pin = (pid: number, core: number) =>
  succeeds('taskset', '-acp', String(core), String(pid));

export function pinLoad(): void {
  if (!pin(process.pid, LOAD_CORE)) {
    console.error(
      '`taskset` does not work here, so all processes share all cores. Expect less reliable figures.',
    );
  }
}

export const isOnPath = (program: string) => succeeds('sh', '-c', `command -v ${program}`);
