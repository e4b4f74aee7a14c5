import { type Executor, type ExecutorSetup, startExecutor } from './executor.ts';
import { loopback, resolver } from './resolver.ts';

/**
 * Names of the tests' own internet, all on the allowlist. Each leads to loopback,
 * `inside.test` to a private address.
 */
const HOSTS = ['localhost', '127.0.0.1', 'api.test', 'other.test', 'inside.test'];

/**
 * An executor for which several names lead to the servers of a test, so that these have
 * several origins.
 */
export async function startSandboxed({
  env,
  connect,
  ...setup
}: ExecutorSetup = {}): Promise<Executor> {
  const names = loopback('localhost', 'api.test', 'other.test', 'unlisted.test');
  const inside = resolver({ 'inside.test': [['10.0.0.1']] });
  return startExecutor({
    ...setup,
    env: {
      HTTP_EXECUTOR_ALLOWED_HOSTS: HOSTS.join(','),
      HTTP_EXECUTOR_ALLOWED_NETWORKS: '127.0.0.0/8',
      ...env,
    },
    connect: {
      resolve: (hostname, callback) =>
        (hostname === 'inside.test' ? inside : names).resolve(hostname, callback),
      ...connect,
    },
  });
}
