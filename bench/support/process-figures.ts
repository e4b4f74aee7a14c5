import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const KIB_PER_MIB = 1_024;

/** Whole MiB that a process keeps resident. */
export function residentMib(pid: number): number {
  return Math.round(residentKib(pid) / KIB_PER_MIB);
}

function residentKib(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
  } catch {
    // Systems without `/proc`.
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' }));
  }
}
