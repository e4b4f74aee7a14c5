import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const KIB_PER_MIB = 1_024;

export function residentMib(pid: number): number {
  return Math.round(residentKib(pid) / KIB_PER_MIB);
}

function residentKib(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
  } catch {
    // This system does not have `/proc`.
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' }));
  }
}
