import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The checkout whose services are attacked; an older one gives figures to compare with. */
export const ROOT = resolve(
  process.env.HOSTILE_ROOT ?? fileURLToPath(new URL('../..', import.meta.url)),
);

export const HEAP_MB = 256;

export type ServiceName = 'executor' | 'policy';

export interface ServiceSetup {
  readonly service?: ServiceName | undefined;
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** A module of `preload/` that the service loads first. */
  readonly preload?: string | undefined;
}

/** A service in a process of its own, with a small heap. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Why the process ended; undefined while it runs. */
  ended(): string | undefined;
}

const BIND = { executor: 'HTTP_EXECUTOR_BIND_ADDR', policy: 'POLICY_BIND_ADDR' } as const;
const START_MS = 30_000;
const POLL_MS = 25;
const KEPT_OUTPUT = 4_096;

/** Starts a service as an operator would and waits until it is ready. */
export async function startService({
  service = 'executor',
  settings,
  preload,
}: ServiceSetup = {}): Promise<Service> {
  const { PATH = '' } = process.env;
  const env = { PATH, [BIND[service]]: '127.0.0.1:0', ...settings };
  const child = spawn(
    process.execPath,
    [...argumentsOf(preload), `${ROOT}/services/${service}/src/main.ts`],
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const reason = watch(child);
  const kill = () => child.kill('SIGKILL');
  process.on('exit', kill);
  const dispose = async () => {
    process.off('exit', kill);
    if (reason() !== undefined) return;
    kill();
    await once(child, 'close');
  };
  try {
    const url = await printedUrl(child.stdout);
    await ready(url, reason);
    return {
      url,
      port: Number(new URL(url).port),
      pid: child.pid ?? 0,
      ended: reason,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Where it says that it listens; the rest of the log is read and forgotten. */
function printedUrl(log: Readable): Promise<string> {
  let said = '';
  return new Promise((found, failed) => {
    const look = (text: string) => {
      said += text;
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (url === undefined) return;
      log.off('data', look).resume();
      found(url);
    };
    log.setEncoding('utf8').on('data', look);
    log.on('end', () => failed(new Error(`The service did not start.\n${said}`)));
  });
}

function argumentsOf(preload: string | undefined): string[] {
  const heap = `--max-old-space-size=${HEAP_MB}`;
  return preload === undefined
    ? [heap]
    : [heap, '--import', new URL(`preload/${preload}`, import.meta.url).href];
}

/** Tells why the process ended, once it has: its code or signal, and the last that it said. */
function watch(child: ChildProcess): () => string | undefined {
  let said = '';
  let ended: string | undefined;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_OUTPUT);
  });
  child.on('close', (code, signal) => {
    const [fatal] = /FATAL ERROR: .*/.exec(said) ?? [];
    ended = `${signal ?? `exit ${code}`}${fatal === undefined ? '' : `: ${fatal}`}`;
  });
  return () => ended;
}

async function ready(url: string, reason: () => string | undefined): Promise<void> {
  for (let waited = 0; waited < START_MS; waited += POLL_MS) {
    if (reason() !== undefined) throw new Error(`The service did not start: ${reason()}`);
    const answered = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answered) return;
    await delay(POLL_MS);
  }
  throw new Error(`The service at ${url} was not ready within ${START_MS} ms.`);
}
