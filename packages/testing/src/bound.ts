import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, startService } from './service.ts';
import { startUpstream, type Upstream } from './upstream.ts';

/** Token of the approver `boss`. */
export const BOSS = 'boss-token-0123456789';

/** Token of the caller `planner` at both services. */
export const PLANNER = 'planner-token-0123456789';

/** Services that bind executions to decisions, with an upstream and an approver `boss`. */
export interface Bound extends AsyncDisposable {
  readonly shop: Upstream;
  readonly policy: ServiceProcess;
  readonly executor: ServiceProcess;
  /** File with the profile of the policy service. */
  readonly profile: string;
  /** Writes a file that only its owner may read, and returns its path. */
  readonly file: (name: string, content: string) => string;
}

/** Starts both services as docs/binding.md describes, with the caller `planner` and a store. */
export async function startBound(): Promise<Bound> {
  await using started = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bound-'));
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
  const running = started.move();
  const end = () => running.disposeAsync();
  return { shop, policy, executor, profile, file, [Symbol.asyncDispose]: end };
}
