import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';

/** The services that this package makes alike, and one operation of each. */
export const SERVICES = [
  {
    name: 'policy',
    prefix: 'POLICY',
    method: 'POST',
    path: '/policy/check',
    body: '{}',
    allow: 'POST',
  },
  {
    name: 'executor',
    prefix: 'HTTP_EXECUTOR',
    method: 'GET',
    path: '/sandbox',
    body: undefined,
    allow: 'GET, HEAD',
  },
] as const;

export type Service = (typeof SERVICES)[number];

export interface ServiceProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** All that it has written so far, on both streams. */
  readonly output: string;
  /** The log lines so far at this level. */
  logged(level: string): string[];
  /** Ends it as an operator would; its output is complete then. */
  stop(): Promise<number | null>;
}

function launch({ name, prefix }: Service, settings: Readonly<Record<string, string>>) {
  const main = fileURLToPath(new URL(`../../../../services/${name}/src/main.ts`, import.meta.url));
  const own = Object.entries({ BIND_ADDR: '127.0.0.1:0', ...settings }).map(([key, value]) =>
    key === 'LOG_LEVEL' ? [key, value] : [`${prefix}_${key}`, value],
  );
  const child = spawn(process.execPath, [main], {
    env: Object.fromEntries(own),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => chunks.push(text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, ended, output: () => chunks.join('') };
}

/** The real service as a process of its own; settings are named without its prefix. */
export async function startService(
  service: Service,
  settings: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const { child, ended, output } = launch(service, settings);
  let address: RegExpExecArray | null = null;
  while (address === null) {
    if (child.exitCode !== null) throw new Error(`the ${service.name} service ended: ${output()}`);
    await Promise.race([once(child.stdout, 'data'), ended]);
    address = /listening at (https?:\/\/[^"]+:(\d+))/.exec(output());
  }
  const [, url = '', port] = address;
  return {
    url,
    port: Number(port),
    get output() {
      return output();
    },
    logged: (level) =>
      output()
        .split('\n')
        .filter((line) => line.includes(`"level":"${level}"`)),
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs the service to its end, for settings it cannot start with. */
export async function refusedStart(service: Service, settings: Readonly<Record<string, string>>) {
  const { ended, output } = launch(service, settings);
  return { code: await ended, output: output() };
}

/** Starts before the first test of a group and ends after its last one. */
export function sharedService(
  service: Service,
  settings: () => Promise<Readonly<Record<string, string>>>,
): () => ServiceProcess {
  let running: ServiceProcess | undefined;
  beforeAll(async () => {
    running = await startService(service, await settings());
  });
  afterAll(() => running?.[Symbol.asyncDispose]());
  return () => {
    if (running === undefined) throw new Error('the service runs only while the tests do');
    return running;
  };
}
