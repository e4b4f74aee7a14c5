import { generateKeyPairSync } from 'node:crypto';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, post, startService } from '@gatehouse/testing';

const PROFILE = fileURLToPath(new URL('../../../examples/profiles/default.yaml', import.meta.url));
const DESTINATIONS = fileURLToPath(new URL('destinations.yaml', import.meta.url));

/** Both services, as processes that have already handled some requests. */
export interface Stack extends AsyncDisposable {
  readonly policy: string;
  readonly executor: string;
}

export async function startStack(): Promise<Stack> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gatehouse-'));
  const keyFile = join(folder.path, 'policy-key.pem');
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const [policy, executor] = await Promise.all([
    startService('policy', {
      POLICY_PROFILE_FILE: PROFILE,
      POLICY_SIGNING_KEY_FILE: keyFile,
      POLICY_APPROVER_TOKENS: 'alice:a-token-of-some-length',
    }),
    startService('executor', { HTTP_EXECUTOR_DESTINATIONS_FILE: DESTINATIONS }),
  ]);
  await makeTraffic(policy.url, executor.url);
  return {
    policy: policy.url,
    executor: executor.url,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([policy, executor].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

/**
 * Sends requests, so that the metrics count a decision, a refusal, a success and an execution with
 * retries.
 */
async function makeTraffic(policy: string, executor: string): Promise<void> {
  const execute = (url: string) =>
    post(`${executor}/execute`, JSON.stringify({ method: 'GET', url }));
  await post(`${policy}/policy/check`, '{"spend":{"amount_minor_units":1,"currency":"EUR"}}');
  await execute('http://elsewhere.example/');
  await execute(`${policy}/healthz`);
  await execute(`http://127.0.0.1:${await freePort()}/`);
}
