import { type Ending, startProcess, type TestProcess } from './process.ts';

/** Environment variable that sets each service's address. */
const BIND = { policy: 'POLICY_BIND_ADDR', executor: 'HTTP_EXECUTOR_BIND_ADDR' };

export type ServiceName = keyof typeof BIND;

type Settings = Readonly<Record<string, string>>;

export interface ServiceProcess extends TestProcess {
  readonly url: string;
  readonly port: number;
}

/** Starts a service's bundle on a free loopback port, unless `env` sets another address. */
export async function startService(
  service: ServiceName,
  env: Settings = {},
): Promise<ServiceProcess> {
  const child = launch(service, env);
  try {
    const [, url = '', port] = await child.printed(/listening at (https?:\/\/[^"]+:(\d+))/);
    return Object.assign(child, { url, port: Number(port) });
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
}

/** Runs a service with settings that prevent it from starting, and waits until it exits. */
export async function runToExit(
  service: ServiceName,
  env: Settings,
): Promise<Ending & { readonly stderr: string; readonly output: string }> {
  await using child = launch(service, env);
  const ending = await child.ended;
  return { ...ending, stderr: child.stderr, output: child.output };
}

function launch(service: ServiceName, env: Settings): TestProcess {
  const main = new URL(`../../../services/${service}/dist/main.mjs`, import.meta.url);
  // Raise the overload limit, because other tests keep the machine busy.
  const defaults = { [BIND[service]]: '127.0.0.1:0', MAX_EVENT_LOOP_DELAY_MS: '600000' };
  return startProcess(main, { env: { ...defaults, ...env } });
}
