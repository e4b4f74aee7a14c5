import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

export const residentMib = (pid: number) => Math.round(residentKib(pid) / 1_024);

/** Returns the peak of the resident memory. Returns 0 without `/proc` or if the process ended. */
export function peakMib(pid: number): number {
  try {
    return Math.round(statusKib(pid, 'VmHWM') / 1_024);
  } catch {
    return 0;
  }
}

/** Starts a new measurement of the peak, so that earlier peaks do not count. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function residentKib(pid: number): number {
  try {
    return statusKib(pid, 'VmRSS');
  } catch {
    // Systems such as macOS do not have `/proc`.
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' }));
  }
}

function statusKib(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}
