import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** What `/proc` tells of a process; NaN where a system has no such thing. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

const KIB_PER_MIB = 1_024;
const NS_PER_MS = 1e6;

/** Whole MiB that a process holds; `anonymous`: heaps and stacks, where the system tells. */
export function memoryOf(pid: number) {
  const rss = residentMib(pid, 'VmRSS') || psMib(pid);
  return { rss: Math.round(rss), anonymous: Math.round(residentMib(pid, 'RssAnon')) };
}

/** Where there is no `/proc`. */
function psMib(pid: number): number {
  const kib = execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' });
  return Number(kib) / KIB_PER_MIB;
}

/** MiB resident now, or at most so far. */
export function residentMib(pid: number, which: 'VmRSS' | 'VmHWM' | 'RssAnon'): number {
  const [, kib = 'NaN'] =
    new RegExp(`^${which}:\\s+(\\d+)`, 'm').exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kib) / KIB_PER_MIB;
}

/** From now on `VmHWM` counts anew: the peak of the start is none of an attack. */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The peak of the start counts then, too, which is on the safe side.
  }
}

/** Milliseconds of a thread on a processor, and waiting for one; 0 where nothing tells. */
interface ThreadTime {
  readonly ranMs: number;
  readonly waitedMs: number;
}

function threadTime(pid: number, thread: number | string): ThreadTime {
  const [ran = '0', waited = '0'] = read(`/proc/${pid}/task/${thread}/schedstat`).split(' ');
  return { ranMs: Number(ran) / NS_PER_MS, waitedMs: Number(waited) / NS_PER_MS };
}

/** The main thread of a process, on which its event loop runs. */
export const mainThread = (pid: number): ThreadTime => threadTime(pid, pid);

/** Milliseconds that all the other threads of a process ran. */
export function otherThreadsMs(pid: number): number {
  try {
    const others = readdirSync(`/proc/${pid}/task`).filter((thread) => thread !== String(pid));
    return others.reduce((sum, thread) => sum + threadTime(pid, thread).ranMs, 0);
  } catch {
    return 0;
  }
}
