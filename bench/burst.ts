import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { request } from 'undici';
import { LOAD_CORE } from './support/cores.ts';
import { createMemoryGroup, imageEnv, memoryLimitMib } from './support/deployment.ts';
import { ACCEPTING_PATH } from './support/documents.ts';
import { print } from './support/figures.ts';
import { peakMib, resetPeak, residentMib } from './support/process-figures.ts';
import { CREDENTIAL, ORDER_SCHEMA } from './support/requests.ts';
import { SERVICES, type Subject, startSubject } from './support/subject.ts';
import { startUpstream } from './support/upstream.ts';

// Sends waves of large executions to an executor with the environment variables of its image and
// the memory limit of its container in Kubernetes, and prints how the executor copes. Each wave
// meets a freshly started executor. Pass a word such as `9 MiB` to run only the waves whose names
// contain that word. `--env NAME=VALUE` sets a variable of the executor, and `--limit MIB` replaces
// the memory limit. The benchmark fails if the executor ends or exceeds the limit.
const { values, positionals } = parseArgs({
  options: { env: { type: 'string', multiple: true, default: [] }, limit: { type: 'string' } },
  allowPositionals: true,
});
const LIMIT_MIB = Number(values.limit ?? memoryLimitMib());
const REST_S = 10;
const POLL_MS = 20;
const MIB = 1024 * 1024;
const HEAD_CHARS = 4_096;

interface Wave {
  readonly name: string;
  readonly count: number;
  readonly action: { readonly method: string; readonly url: string };
}

using group = createMemoryGroup(LIMIT_MIB);
await using upstream = await startUpstream(LOAD_CORE);
const env = {
  ...imageEnv(),
  ...Object.fromEntries(values.env.map((each) => /^([^=]*)=(.*)$/s.exec(each)?.slice(1) ?? [each])),
  [SERVICES.executor.address]: '127.0.0.1:0',
};

const response_schema = {
  type: 'object',
  required: ['data'],
  properties: { data: { type: 'array', items: ORDER_SCHEMA } },
};
const KINDS = {
  plain: {},
  credential: { headers: CREDENTIAL },
  'credential and schema': { headers: CREDENTIAL, response_schema },
};

const get = (path: string) => ({ method: 'GET', url: `${upstream.url}${path}` });

function waves(): Wave[] {
  const sizes = [
    { count: 200, mib: 1 },
    { count: 64, mib: 2 },
    { count: 64, mib: 9 },
  ];
  const orders = sizes.flatMap(({ count, mib }) =>
    Object.entries(KINDS).map(([kind, members]) => ({
      name: `${count} × ${mib} MiB, ${kind}`,
      count,
      action: { ...get(`/orders-${mib}mib`), ...members },
    })),
  );
  const controls = { ...get('/controls-10mib'), response_type: 'text' };
  return [
    ...orders,
    { name: '1 × 1 MiB, form of emoji', count: 1, action: emojiForm(MIB) },
    { name: '1 × 0.6 MiB, form of emoji', count: 1, action: emojiForm(0.6 * MIB) },
    { name: '16 × 0.6 MiB, form of emoji', count: 16, action: emojiForm(0.6 * MIB) },
    { name: '1 × 10 MiB, text of control characters', count: 1, action: controls },
    { name: '16 × 10 MiB, text of control characters', count: 16, action: controls },
  ];
}

/** Returns an action with `bytes` bytes of JSON, which is three times as long as a form. */
function emojiForm(bytes: number) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const action = { method: 'POST', url: `${upstream.url}${ACCEPTING_PATH}`, headers };
  const rest = Buffer.byteLength(JSON.stringify({ ...action, body: { text: '' } }));
  return { ...action, body: { text: '😀'.repeat(Math.floor((bytes - rest) / 4)) } };
}

/** Returns what became of an action: `success`, the name of an error, or a status and a code. */
async function send(url: string, body: string): Promise<string> {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await request(`${url}/execute`, { method: 'POST', headers, body });
    let head = '';
    for await (const chunk of response.body)
      if (head.length < HEAD_CHARS) head += chunk.toString('latin1', 0, HEAD_CHARS);
    const { statusCode } = response;
    if (statusCode !== 200) return `${statusCode} ${/"code":"(\w+)"/.exec(head)?.[1]}`;
    return /"outcome":"success"/.test(head) ? 'success' : `${/"error":"(\w+)"/.exec(head)?.[1]}`;
  } catch (error) {
    return `${(error as NodeJS.ErrnoException).code}`;
  }
}

/** Returns a function that returns the longest wait for `/healthz` since its previous call. */
function startProbe({ url, pid }: Subject) {
  const main = new URL('../packages/testing/src/probe-process.ts', import.meta.url);
  const child = fork(main, [new URL(url).port, `${pid}`], { execArgv: [] });
  const longestWaitMs = async () => {
    const message = once(child, 'message');
    child.send('report');
    return Math.round(Number((await message)[0]));
  };
  return { longestWaitMs, [Symbol.dispose]: () => child.kill() };
}

const tenths = (ms: number) => Math.round(ms / 100) / 10;

async function run({ name, count, action }: Wave): Promise<void> {
  await using subject = await startSubject(SERVICES.executor.main, { env, group });
  using probe = startProbe(subject);
  const { url, pid } = subject;
  for (const members of Object.values(KINDS))
    await send(url, JSON.stringify({ ...get('/orders-100kb'), ...members }));
  await probe.longestWaitMs();
  resetPeak(pid);
  const resident_mib = residentMib(pid);
  let peak_mib = 0;
  const poll = setInterval(() => {
    peak_mib = Math.max(peak_mib, peakMib(pid));
    const isAbove = group === undefined && peak_mib > LIMIT_MIB;
    if (isAbove && subject.ending() === undefined) process.kill(pid, 'SIGKILL');
  }, POLL_MS);

  const began = performance.now();
  const cpuMs = subject.cpuMs();
  const body = JSON.stringify(action);
  const ends = await Promise.all(Array.from({ length: count }, () => send(url, body)));
  const seconds = tenths(performance.now() - began);
  const cpu_s = tenths(subject.cpuMs() - cpuMs);
  const healthz_ms = await probe.longestWaitMs();
  await delay(REST_S * 1_000);
  clearInterval(poll);
  const ended = subject.ending();
  const later_mib = ended === undefined ? residentMib(pid) : undefined;
  const memory = { resident_mib, peak_mib, later_mib };
  const all = Object.entries(Object.groupBy(ends, (end) => end));
  const outcomes = all.map(([end, each]) => `${each?.length} ${end}`).join(', ');
  print({ wave: name, outcomes, ended, ...memory, healthz_ms, seconds, cpu_s });
  if (ended !== undefined) process.exitCode = 1;
}

const by = group ? 'kernel' : 'polling';
print({ limit_mib: LIMIT_MIB, by, upstream: upstream.program, ...env });
const [only = ''] = positionals;
for (const wave of waves().filter(({ name }) => name.includes(only))) await run(wave);
