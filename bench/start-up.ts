import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from './support/figures.ts';
import { residentMib } from './support/process-figures.ts';
import { SERVICES } from './support/subject.ts';

// Prints the median startup time and memory use of each service and of bare Node. Each program
// starts `STARTS` times (default: 5). Memory is measured after `SECONDS` seconds (default: 3).

const STARTS = Number(process.env.STARTS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 3);
const POLL_MS = 2;
const PORT = 18_765;

const AIMS = { policy: '350 ms, 100 MiB', executor: '350 ms, 130 MiB' };

interface Start {
  readonly ms: number;
  readonly mib: number;
}

const isUp = () =>
  fetch(`http://127.0.0.1:${PORT}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

async function startService(main: string, bind: string): Promise<Start> {
  const began = performance.now();
  const env = { PATH: process.env.PATH, [bind]: `127.0.0.1:${PORT}` };
  const child = spawn(process.execPath, [main], { env, stdio: 'ignore' });
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`${main} exited with code ${child.exitCode}.`);
    await delay(POLL_MS);
  }
  const ms = Math.round(performance.now() - began);
  await delay(SECONDS * 1_000);
  const mib = residentMib(child.pid ?? 0);
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
for (const name of ['policy', 'executor'] as const) {
  const { main, address } = SERVICES[name];
  await report(name, () => startService(main, address), `; aim ${AIMS[name]}`);
}
