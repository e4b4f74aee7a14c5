import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import { isOnPath } from './cores.ts';

export interface Target {
  readonly url: string;
  readonly body?: string;
}

export interface Load {
  readonly connections: number;
  /** Whole seconds. */
  readonly seconds: number;
  /** Requests per second. If undefined, requests are sent as fast as possible. */
  readonly rate?: number;
}

/** Latencies in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

export interface Answers extends Latency {
  /** `answered` counts responses with status 200, and `failed` counts all other requests. */
  readonly answered: number;
  readonly failed: number;
  readonly seconds: number;
}

const WRK = fileURLToPath(new URL('wrk.lua', import.meta.url));

async function wrk({ url, body }: Target, { connections, seconds, rate }: Load): Promise<Answers> {
  const env = {
    ...(body === undefined ? {} : { BODY: body }),
    ...(rate === undefined ? {} : { THINK_MS: String((connections / rate) * 1_000) }),
  };
  const load = [`--connections=${connections}`, `--duration=${seconds}`];
  const options = ['--threads=1', '--timeout=30', ...load, `--script=${WRK}`, url];
  const { PATH } = process.env;
  const { stdout } = await promisify(execFile)('wrk', options, { env: { PATH, ...env } });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

async function cannon(
  { url, body }: Target,
  { connections, seconds, rate }: Load,
): Promise<Answers> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body } as const;
  const result = await autocannon({
    url,
    ...(body === undefined ? {} : post),
    ...(rate === undefined ? {} : { overallRate: Math.round(rate) }),
    connections,
    duration: seconds,
  });
  const { p50, p99, p99_9: p999 } = result.latency;
  const failed = result.non2xx + result.errors;
  return { answered: result['2xx'], failed, seconds: result.duration, p50, p99, p999 };
}

/** Load generator. We prefer wrk, because autocannon cannot always keep up with the server. */
export const LOADED_BY = isOnPath('wrk') ? 'wrk' : 'autocannon';

/**
 * Puts a server under load.
 * @throws if any response is not a 200, because fast error responses would distort the result.
 */
export async function load(target: Target, how: Load): Promise<Answers> {
  const answers = await (LOADED_BY === 'wrk' ? wrk : cannon)(target, how);
  if (answers.failed > 0 || answers.answered === 0) {
    throw new Error(
      `${target.url}: ${answers.answered} requests were answered with 200, but ${answers.failed} were not.`,
    );
  }
  return answers;
}
