import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from './service.ts';

const KIB = 1_024;
const MIB = KIB * KIB;

/** Largest upstream response that the executor accepts by default. */
export const RESPONSE_LIMIT = 10 * MIB;

/** Extra delay allowed for a busy machine, and extra memory allowed for V8's heap. */
const SLACK = { delayMs: 150, mib: 128 };

/** Size of an attack, which determines the allowed delay and memory (docs/contract.md). */
export interface Bounds {
  /** Number of requests in flight at once. Each request above 50 adds 2 ms to the allowed delay. */
  readonly requests?: number;
  /** Total decompressed size of all requests in flight or all responses, whichever is larger. */
  readonly inFlight?: number;
  /** Size in bytes of the upstream response that the executor returns for each request. */
  readonly responseBytes?: number;
}

export interface TextResponse {
  readonly status: number;
  readonly text: string;
}

export async function post(
  url: string,
  body: Buffer | string,
  more: Readonly<Record<string, string>> = {},
): Promise<TextResponse> {
  const headers = { 'content-type': 'application/json', ...more };
  const sent = typeof body === 'string' ? body : new Uint8Array(body);
  const response = await fetch(url, { method: 'POST', headers, body: sent });
  return { status: response.status, text: await response.text() };
}

/** Runs an attack while a separate process probes the service. Returns every exceeded bound. */
export async function exceededBounds(
  service: ServiceProcess,
  attack: () => Promise<readonly TextResponse[]>,
  { requests = 1, inFlight = 0, responseBytes = 0 }: Bounds = {},
): Promise<string[]> {
  await using probe = await startProbe(service);
  resetPeak(service.pid);
  const before = memoryMib(service.pid, 'VmRSS');
  const answers = await attack();
  const delayMs = await probe.longestDelayMs();
  const grownMib = memoryMib(service.pid, 'VmHWM') - before;
  const largest = Math.max(0, ...answers.map(({ text }) => Buffer.byteLength(text)));
  const found = [
    ['ms of delay for other requests', delayMs, Math.max(100, 2 * requests) + SLACK.delayMs],
    ['MiB of growth', grownMib, Math.max(8 * RESPONSE_LIMIT, 3 * inFlight) / MIB + SLACK.mib],
    ['bytes in an answer', largest, 2 * responseBytes + 64 * KIB],
  ] as const;
  return found
    .filter(([, value, limit]) => !(value <= limit))
    .map(([what, value, limit]) => `${Math.round(value)} ${what}, above ${limit}`);
}

interface Probe extends AsyncDisposable {
  /** Returns the longest delay of any probe request since the previous call of this function. */
  longestDelayMs(): Promise<number>;
}

const IDLE_MS = 200;

/** Probes the service from a separate process, which the attack does not slow down. */
async function startProbe({ port, pid }: ServiceProcess): Promise<Probe> {
  const main = new URL('probe-process.ts', import.meta.url);
  const child = fork(main, [`${port}`, `${pid}`], { execArgv: [] });
  const longestDelayMs = async () => {
    const message = once(child, 'message');
    child.send('report');
    const [delayMs] = await message;
    return Number(delayMs);
  };
  await longestDelayMs();
  await delay(IDLE_MS);
  await longestDelayMs();
  return {
    longestDelayMs,
    [Symbol.asyncDispose]: async () => {
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    },
  };
}

/** Returns `NaN` if the process has ended. `NaN` counts as exceeding every bound. */
function memoryMib(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / KIB;
  } catch {
    return Number.NaN;
  }
}

/** Resets the peak memory use (`VmHWM`), so that the peak during startup does not count. */
function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Returns the JSON array `[item,item,…]` with at most `bytes` bytes. */
export function listOf(item: string, bytes: number): string {
  return `[${`${item},`.repeat(Math.floor((bytes - 2) / (item.length + 1)) - 1)}${item}]`;
}

/** Returns the JSON object `{"k0":1,"k1":1,…}` with `count` members. */
export function membersOf(count: number): string {
  return `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`;
}

export const nested = (levels: number, open: string, close: string, inner = '1'): string =>
  open.repeat(levels) + inner + close.repeat(levels);
