import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median } from './support/figures.ts';
import { memoryOf } from './support/process-memory.ts';

/**
 * From the start of a process to its first healthy answer, and what it keeps resident
 * `SECONDS` (3) later, from source and, after `pnpm build`, from the bundle: medians of
 * `STARTS` (5), beside those of `node -e ''`.
 */
const STARTS = Number(process.env.STARTS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 3);
const POLL_MS = 2;
const PORT = 18_765;

const SERVICES = [
  { name: 'policy', bind: 'POLICY_BIND_ADDR', aim: { ms: 350, mib: 95 } },
  { name: 'executor', bind: 'HTTP_EXECUTOR_BIND_ADDR', aim: { ms: 450, mib: 130 } },
];

interface Start {
  readonly ms: number;
  readonly mib: number;
}

function answers(): Promise<boolean> {
  return new Promise((resolve) => {
    get({ port: PORT, host: '127.0.0.1', path: '/healthz', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}

async function startService(main: string, bind: string): Promise<Start> {
  const began = performance.now();
  const env = { PATH: process.env.PATH, [bind]: `127.0.0.1:${PORT}` };
  const child = spawn(process.execPath, [main], { env, stdio: 'ignore' });
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`${main} ended with code ${child.exitCode}.`);
    await delay(POLL_MS);
  }
  const ms = Math.round(performance.now() - began);
  await delay(SECONDS * 1_000);
  const { rss: mib } = memoryOf(child.pid ?? 0);
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { ms, mib };
}

function startBare(): Start {
  const began = performance.now();
  const code = 'console.log(process.memoryUsage.rss())';
  const rss = Number(execFileSync(process.execPath, ['-e', code]));
  return { ms: Math.round(performance.now() - began), mib: Math.round(rss / 1024 / 1024) };
}

async function report(what: string, start: () => Start | Promise<Start>, aim = ''): Promise<void> {
  const all: Start[] = [];
  for (let n = 0; n < STARTS; n += 1) all.push(await start());
  const ms = all.map((each) => each.ms);
  const mib = all.map((each) => each.mib);
  console.log(
    `${what.padEnd(22)}${median(ms)} ms (${ms.join(' ')}), ${median(mib)} MiB (${mib.join(' ')})${aim}`,
  );
}

await report("node -e ''", startBare);
for (const { name, bind, aim } of SERVICES) {
  for (const main of ['src/main.ts', 'dist/main.mjs']) {
    const path = fileURLToPath(new URL(`../services/${name}/${main}`, import.meta.url));
    if (!existsSync(path)) continue;
    const aimed = main.startsWith('dist') ? `; aim ${aim.ms} ms, ${aim.mib} MiB` : '';
    await report(`${name} ${main}`, () => startService(path, bind), aimed);
  }
}
