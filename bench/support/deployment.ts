import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './subject.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Returns the environment variables that the executor's image sets. */
export function imageEnv(): Record<string, string> {
  const instructions = read('Dockerfile.executor')
    .replaceAll('\\\n', ' ')
    .matchAll(/^ENV .*/gm);
  const pairs = [...instructions].flatMap(([line]) => [...line.matchAll(/(\w+)="?([^\s"]*)/g)]);
  return Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
}

/** Returns the memory limit of the executor's container in Kubernetes. */
export function memoryLimitMib(): number {
  const [, mib] =
    /limits: \{ memory: (\d+)Mi \}/.exec(read('deploy/kubernetes/base/executor.yaml')) ?? [];
  return Number(mib);
}

export interface MemoryGroup extends Disposable {
  /** Starts to limit the process and all its threads. */
  add(pid: number): void;
}

/** Folders and files of version 1 and version 2 of Linux's control groups. */
const VERSIONS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', swap: 'memory.swappiness' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', swap: 'memory.swap.max' },
];

/**
 * Creates a control group whose processes the kernel kills above a memory limit. Returns undefined
 * if this machine does not allow it, for example because this user is not root.
 */
export function createMemoryGroup(mib: number): MemoryGroup | undefined {
  for (const { root, limit, swap } of VERSIONS) {
    const folder = join(root, `gatehouse-bench-${process.pid}`);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    if (existsSync(join(folder, limit))) {
      const write = (file: string, value: number) =>
        writeFileSync(join(folder, file), String(value));
      write(limit, mib * 1024 * 1024);
      write(swap, 0);
      return {
        add: (pid) => write('cgroup.procs', pid),
        [Symbol.dispose]: () => rmdirSync(folder),
      };
    }
    rmdirSync(folder);
  }
  return undefined;
}
