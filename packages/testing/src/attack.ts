import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from './service.ts';

const KIB = 1_024;
const MIB = KIB * KIB;

/** The executor's default response limit. */
export const RESPONSE_LIMIT = 10 * MIB;

/** How far a busy machine and V8's heap may exceed the bounds of the contract. */
const SLACK = { delayMs: 150, mib: 128 };

/** What the attacked service may cost: contract section 3, "Bounds". */
export interface Bounds {
  /** How many requests are in flight at once; each may hold others up a little. */
  readonly requests?: number;
  /** Bytes of request or response, decompressed, in flight at once. */
  readonly inFlight?: number;
  /** Bytes of the response that each answer was made from. */
  readonly responseBytes?: number;
}

/** The status and body of a response. */
export interface TextResponse {
  readonly status: number;
  readonly text: string;
}

/** Sends JSON by POST and reads the whole answer. */
export async function post(url: string, body: Buffer | string): Promise<TextResponse> {
  const headers = { 'content-type': 'application/json' };
  const sent = typeof body === 'string' ? body : new Uint8Array(body);
  const response = await fetch(url, { method: 'POST', headers, body: sent });
  return { status: response.status, text: await response.text() };
}

/** Runs an attack while another process probes the service; returns every bound it broke. */
export async function brokenBy(
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
    ['milliseconds of delay for others', delayMs, Math.max(100, 2 * requests) + SLACK.delayMs],
    ['MiB of growth', grownMib, Math.max(8 * RESPONSE_LIMIT, 3 * inFlight) / MIB + SLACK.mib],
    ['bytes in an answer', largest, 2 * responseBytes + 64 * KIB],
  ] as const;
  return found
    .filter(([, value, limit]) => !(value <= limit))
    .map(([what, value, limit]) => `${Math.round(value)} ${what}, above ${limit}`);
}

interface Probe extends AsyncDisposable {
  /** Since the last call. */
  longestDelayMs(): Promise<number>;
}

const IDLE_MS = 200;

/** Asks from a process of its own, so that the attacker's work does not count. */
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

/** A process that has ended breaks the bound, because `NaN` is not below any limit. */
function memoryMib(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / KIB;
  } catch {
    return Number.NaN;
  }
}

/** From now on `VmHWM` leaves out the peak of the start. */
function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** `[item,item,…]` of at most this many bytes. */
export function listOf(item: string, bytes: number): string {
  return `[${`${item},`.repeat(Math.floor((bytes - 2) / (item.length + 1)) - 1)}${item}]`;
}

/** `{"k0":1,"k1":1,…}` with this many members. */
export function membersOf(count: number): string {
  return `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`;
}

/** A value inside this many levels. */
export const nested = (levels: number, open: string, close: string, inner = '1'): string =>
  open.repeat(levels) + inner + close.repeat(levels);
