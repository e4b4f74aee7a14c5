import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * How the command line of a package manager looks: `npm exec pnpm@12 start`, `node
 * …/npx-cli.js`, `pnpm start`.
 */
const PACKAGE_MANAGER = /(?:^|[\s/'])(?:npm|npx|pnpm|yarn)(?:$|[\s.@'-])/;

/**
 * A script that calls a package manager may end and leave it running: `sh -c 'pnpm start
 * &'`.
 */
const SHELL = /^\S*sh\s/;

interface Listed {
  readonly parent: number;
  readonly command: string;
}

/**
 * The processes from the parent of this one up to the outermost package manager, with the
 * shells between them; none when no package manager started this. Whoever started that
 * one may end without this being meant to.
 */
export async function launchers(): Promise<number[]> {
  const processes = await listed();
  const chain: number[] = [];
  let outermost = 0;
  for (let pid = process.ppid; pid > 1 && !chain.includes(pid); ) {
    chain.push(pid);
    const { parent, command } = processes.get(pid) ?? { parent: 0, command: '' };
    if (PACKAGE_MANAGER.test(command) && !SHELL.test(command)) outermost = chain.length;
    pid = parent;
  }
  return chain.slice(0, outermost);
}

/** All processes by their id; none where there is no `ps`. */
async function listed(): Promise<ReadonlyMap<number, Listed>> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']).catch(
    () => ({ stdout: '' }),
  );
  const lines = stdout.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm);
  return new Map(
    [...lines].map(([, pid, parent, command = '']) => [
      Number(pid),
      { parent: Number(parent), command },
    ]),
  );
}

/** Whether a process with this id exists, whoever owns it. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
