// `pnpm start` runs the bundles of both services until Ctrl-C. Environment variables override
// `.env`. To start only one service, pass `policy` or `executor`. `--watch` runs the services
// from source and restarts a service when its source changes.

import { existsSync, mkdirSync } from 'node:fs';
import { banner, type ServiceName } from './banner.ts';
import { type Ending, ServiceProcess } from './service-process.ts';
import { stopRequest } from './stop-request.ts';

const ENV_FILE = new URL('../.env', import.meta.url);
// Load `.env` here, because Node's `--env-file-if-exists` prints a warning if the file is missing.
if (existsSync(ENV_FILE)) process.loadEnvFile(ENV_FILE);

/** Extra time before SIGKILL, on top of the service's own shutdown delay and grace period. */
const KILL_MARGIN_MS = 5_000;
const USUAL_GRACE_MS = 20_000;
const { SHUTDOWN_DELAY_MS, SHUTDOWN_GRACE_MS } = process.env;
const stopMs =
  (Number(SHUTDOWN_DELAY_MS) || 0) + (Number(SHUTDOWN_GRACE_MS) || USUAL_GRACE_MS) + KILL_MARGIN_MS;

const stopRequested = stopRequest();
const watch = process.argv.includes('--watch');
const names: readonly ServiceName[] = ['policy', 'executor'];
const asked = names.filter((name) => process.argv.includes(name));
if (process.env.HTTP_EXECUTOR_STORE === undefined) {
  // Without a store, the executor would refuse idempotency keys. The folder is not in git.
  mkdirSync('.gatehouse', { recursive: true });
  process.env.HTTP_EXECUTOR_STORE = 'sqlite:.gatehouse/executor.db';
}
const services = (asked.length > 0 ? asked : names).map((name) => new ServiceProcess(name, watch));

const places = services.map(async ({ name, listening }) => [name, await listening] as const);
Promise.all(places).then((found) =>
  process.stdout.write(banner(Object.fromEntries(found), process.env)),
);
const first = await Promise.race([
  stopRequested.then(() => undefined),
  ...services.map((service) => service.ended.then((ending) => ({ service, ending }))),
]);
if (first !== undefined) {
  // Before stopping the services, wait until each one has started or exited.
  const started = services.map(({ listening, ended }) => Promise.race([listening, ended]));
  await Promise.race([stopRequested, Promise.all(started)]);
  const other = services.some((service) => service.running);
  report(first.service, first.ending, other ? '; stopping the other service' : '');
}
for (const service of services) service.stop(stopMs);
for (const service of services) {
  const ending = await service.ended;
  const bad = !service.endedWell(ending);
  if (bad && service !== first?.service) report(service, ending);
  if (bad || first !== undefined) process.exitCode = 1;
}
if (first !== undefined)
  process.stderr.write(
    `Stopped, because the ${first.service.name} service ended. See its last lines above.\n`,
  );

function report({ name }: ServiceProcess, { code, signal }: Ending, consequence = ''): void {
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  process.stderr.write(`The ${name} service ended ${how}${consequence}.\n`);
}
