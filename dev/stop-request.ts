import { spawnSync } from 'node:child_process';

const POLL_MS = 250;

/** Matches command lines such as `npm exec pnpm@12 start`, but not `sh -c 'pnpm start'`. */
const PACKAGE_MANAGER = /^(?!\S*sh\s)(?:.*[\s/'])?(?:npm|npx|pnpm|yarn)(?:$|[\s.@'-])/;

/**
 * Waits until something asks this program to stop, and resolves with the reason, such as `SIGINT`.
 * One Ctrl-C may arrive twice, from the terminal and from pnpm, so only the first signal counts.
 * Also resolves when `npx` exits, because `npx` does not forward signals to this program.
 */
export function stopRequest(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve(signal));
    const pids = packageManagers();
    const watch = () => {
      if (!pids.every(exists)) resolve('the package manager that started this program has ended');
    };
    setInterval(watch, POLL_MS).unref();
  });
}

/** Lists the process ids of the package managers that started this process. Needs `ps`. */
function packageManagers(): number[] {
  const found: number[] = [];
  for (let pid = process.ppid; pid > 1; ) {
    const { stdout } = spawnSync('ps', ['-o', 'ppid=,args=', '-p', `${pid}`], { encoding: 'utf8' });
    const [, parent, command = ''] = /^\s*(\d+)\s+(.*)/.exec(stdout ?? '') ?? [];
    if (PACKAGE_MANAGER.test(command)) found.push(pid);
    pid = Number(parent ?? 0);
  }
  return found;
}

/** True if a process with this id exists, even if another user owns it. */
function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
