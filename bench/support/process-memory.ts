import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Megabytes that a process holds; `anonymous`: heaps and stacks, where the system tells. */
export interface Memory {
  readonly rss: number;
  readonly anonymous: number | undefined;
}

export function memoryOf(pid: number): Memory {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) {
    return {
      rss: megabytes(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' })),
      anonymous: undefined,
    };
  }
  const text = readFileSync(status, 'utf8');
  const field = (name: string) => /\d+/.exec(text.slice(text.indexOf(`${name}:`)))?.[0] ?? '';
  return { rss: megabytes(field('VmRSS')), anonymous: megabytes(field('RssAnon')) };
}

function megabytes(kibibytes: string): number {
  return Math.round(Number(kibibytes) / 1024);
}
