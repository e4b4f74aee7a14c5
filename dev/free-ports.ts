import type { Processes } from './processes.ts';
import { mainOf } from './services.ts';

const SETTINGS = { policy: 'POLICY_BIND_ADDR', executor: 'HTTP_EXECUTOR_BIND_ADDR' } as const;

const START_MS = 20_000;

/**
 * Starts one of the services on a free port of loopback and gives its origin, which its
 * first log line names.
 */
export async function startOnFreePort(
  processes: Processes,
  name: 'policy' | 'executor',
): Promise<string> {
  const env = { ...process.env, [SETTINGS[name]]: '127.0.0.1:0', LOG_LEVEL: 'info' };
  const service = processes.start({ name, main: mainOf(name), env, output: 'capture' });
  const [, origin = ''] = await service.printed(
    /listening at (http:\/\/127\.0\.0\.1:\d+)/,
    START_MS,
  );
  return origin;
}
