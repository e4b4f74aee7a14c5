import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export const residentMib = (pid: number) => Math.round(residentKib(pid) / 1_024);

function residentKib(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
  } catch {
    // Systems such as macOS do not have `/proc`.
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' }));
  }
}
