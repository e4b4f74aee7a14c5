import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ServiceProcess,
  startService,
  startUpstream,
  type Upstream,
} from '@gatehouse/testing';
import {
  COSTS,
  type Host,
  type HostOptions,
  type McpProcess,
  startMcp,
  stdioHost,
} from './host.ts';

export const BOSS = 'boss-token-0123456789';
const PLANNER = 'planner-token-0123456789';

/** Services that bind executions to decisions, with an upstream and an approver `boss`. */
export interface Bound extends AsyncDisposable {
  readonly shop: Upstream;
  readonly policy: ServiceProcess;
  /** File with the profile of the policy service. */
  readonly profile: string;
  /** Starts an MCP server over HTTP that uses the services, as `planner`. */
  readonly serve: (
    env?: Readonly<Record<string, string>>,
    args?: readonly string[],
  ) => Promise<McpProcess>;
  /** Connects a host over stdio to such a server. */
  readonly connect: (env: Readonly<Record<string, string>>, options: HostOptions) => Promise<Host>;
  /** Arguments of a call that pays an amount. */
  readonly pay: (cents: number, more?: object) => object;
  /** Writes a file, and returns its path. */
  readonly file: (name: string, content: string) => string;
}

export async function startBound(): Promise<Bound> {
  await using started = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mcp-bound-'));
  started.defer(() => rmSync(folder, { recursive: true }));
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = file('key.pem', String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  const profile = file('profile.yaml', 'name: first\n');
  const shop = started.use(await startUpstream({ body: { id: 7 } }));
  const policy = started.use(
    await startService('policy', {
      POLICY_SIGNING_KEY_FILE: key,
      POLICY_PROFILE_FILE: profile,
      POLICY_API_TOKENS: `planner:${PLANNER}`,
      POLICY_APPROVER_TOKENS: `boss:${BOSS}`,
    }),
  );
  const executor = started.use(
    await startService('executor', {
      HTTP_EXECUTOR_API_TOKENS: `planner:${PLANNER}`,
      HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop.port}`,
      HTTP_EXECUTOR_DECISION_KEYS: `${policy.url}/policy/keys`,
      HTTP_EXECUTOR_STORE: `sqlite:${join(folder, 'keys.db')}`,
    }),
  );
  const args = ['--policy-url', policy.url, '--executor-url', executor.url];
  const tokens = { GATEHOUSE_POLICY_TOKEN: PLANNER, GATEHOUSE_EXECUTOR_TOKEN: PLANNER };
  const serve: Bound['serve'] = (env = {}, more = []) =>
    startMcp({ args: [...args, ...more], env: { ...tokens, ...env } });
  const connect: Bound['connect'] = (env, options) =>
    stdioHost({ args, env: { ...tokens, ...env } }, options);
  const pay = (cents: number, more = {}) => ({
    ...{ method: 'POST', url: `${shop.origin}/`, ...COSTS(cents) },
    ...more,
  });
  const running = started.move();
  const end = () => running.disposeAsync();
  return { shop, policy, profile, serve, connect, pay, file, [Symbol.asyncDispose]: end };
}
