// `pnpm start`: both services until Ctrl-C, as child processes with the environment of
// this one.

import { banner } from './banner.ts';
import { describeEnding } from './managed-process.ts';
import { type Ended, Processes } from './processes.ts';
import { answering, isTaken } from './readiness.ts';
import { type Service, servicesOf } from './services.ts';
import { stopRequest } from './stop-request.ts';

const READY_MS = 30_000;

/**
 * The services end by themselves after their SHUTDOWN_GRACE_MS; this much later they are
 * killed.
 */
const KILL_MARGIN_MS = 5_000;
const USUAL_GRACE_MS = 10_000;

process.exitCode = await start(process.env).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  return 1;
});

/**
 * Runs the services until they are told to stop or one ends by itself; resolves to the
 * exit code.
 */
async function start(env: NodeJS.ProcessEnv): Promise<number> {
  const services = servicesOf(env);
  const stopRequested = stopRequest();
  const graceMs = Number(env.SHUTDOWN_GRACE_MS) || USUAL_GRACE_MS;
  await using processes = new Processes({ graceMs: graceMs + KILL_MARGIN_MS });
  const waiting = new AbortController();
  const ready = await Promise.all(
    services.map((service) => startOne(service, processes, waiting.signal)),
  );
  const firstEnd = processes.firstEnd();
  const early = await Promise.race([
    stopRequested,
    firstEnd,
    Promise.all(ready.map((wait) => wait())),
  ]);
  waiting.abort();
  if (Array.isArray(early)) process.stdout.write(banner(services));
  return await finish(await Promise.race([stopRequested, firstEnd]), processes);
}

/** Starts a service and gives back how to wait until it answers. */
async function startOne({ name, main, url }: Service, processes: Processes, signal: AbortSignal) {
  // Whoever has the port already would answer in its place; then wait only for it to end,
  // with its own message.
  const knowable = url !== undefined && !(await isTaken(url));
  processes.start({ name, main, env: process.env, output: 'inherit' });
  return () =>
    knowable ? answering(new URL('/healthz', url), READY_MS, signal) : new Promise<void>(() => {});
}

/**
 * Stops what still runs; the exit code is 0 only if this was asked for and all ended
 * well.
 */
async function finish(first: string | Ended, processes: Processes): Promise<number> {
  const asked = typeof first === 'string';
  if (!asked) report(first, '; stopping the other service');
  const ends = await processes.stop();
  const bad = ends.filter(({ process: each, ending }) => !each.endedWell(ending));
  for (const end of bad) if (asked || end.process !== first.process) report(end);
  return asked && bad.length === 0 ? 0 : 1;
}

function report({ process: { name }, ending }: Ended, consequence = ''): void {
  process.stderr.write(`The ${name} service ended ${describeEnding(ending)}${consequence}.\n`);
}
