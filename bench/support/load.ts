import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import { isOnPath } from './cores.ts';

export interface Target {
  readonly url: string;
  readonly body?: string;
  /** True to send each request with an `idempotency-key` of its own. */
  readonly isKeyed?: boolean;
  /** File with a decision token for each request, one per line. Only wrk sends them. */
  readonly tokensFile?: string | undefined;
}

export interface Load {
  readonly connections: number;
  /** Whole seconds. */
  readonly seconds: number;
}

export interface Answers {
  /** `answered` counts responses with status 200, and `failed` counts all other requests. */
  readonly answered: number;
  readonly failed: number;
  readonly seconds: number;
  /** Median latency in milliseconds. */
  readonly p50: number;
}

const WRK = fileURLToPath(new URL('wrk.lua', import.meta.url));

async function wrk(
  { url, body, isKeyed, tokensFile }: Target,
  { connections, seconds }: Load,
): Promise<Answers> {
  const load = [`--connections=${connections}`, `--duration=${seconds}`];
  const options = ['--threads=1', '--timeout=30', ...load, `--script=${WRK}`, url];
  const { PATH } = process.env;
  const keys = isKeyed && { KEYS: crypto.randomUUID() };
  const env = { PATH, BODY: body, ...keys, ...(tokensFile && { TOKENS: tokensFile }) };
  const { stdout } = await promisify(execFile)('wrk', options, { env });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

async function cannon(
  { url, body, isKeyed = false }: Target,
  { connections, seconds }: Load,
): Promise<Answers> {
  const key = isKeyed ? { 'idempotency-key': '[<id>]' } : {};
  const headers = { 'content-type': 'application/json', ...key };
  const post = { method: 'POST', headers, body, idReplacement: isKeyed } as const;
  const result = await autocannon({
    url,
    ...(body === undefined ? {} : post),
    connections,
    duration: seconds,
  });
  const failed = result.non2xx + result.errors;
  return { answered: result['2xx'], failed, seconds: result.duration, p50: result.latency.p50 };
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
