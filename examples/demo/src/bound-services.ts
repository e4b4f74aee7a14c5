import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildApp as buildExecutor } from '@gatehouse/executor-service';
import { readConfig as readExecutorConfig } from '@gatehouse/executor-service/config';
import { buildApp as buildPolicy } from '@gatehouse/policy-service';
import { readConfig as readPolicyConfig } from '@gatehouse/policy-service/config';
import type { Logger } from '@gatehouse/service';
import { APPROVER_TOKEN, gatehouse } from './command.ts';

const ANY_PORT = { host: '127.0.0.1', port: 0 };

interface Options {
  /** Folder for keys, the profile and the store. */
  readonly folder: string;
  readonly shop: string;
  readonly executorSettings: Readonly<Record<string, string>>;
  readonly logger: Logger;
}

/**
 * Starts a policy service that signs its decisions, and an executor that sends nothing without one
 * (docs/binding.md). Disposing of the result stops both.
 */
export async function startBoundServices({ folder, shop, executorSettings, logger }: Options) {
  const [privateKey, publicKeys] = [join(folder, 'policy-key.pem'), join(folder, 'keys.json')];
  await gatehouse('keygen', privateKey, '--public', publicKeys);
  const profile = join(folder, 'refunds.json');
  await writeFile(profile, JSON.stringify(refundProfile(new URL(shop).host)));

  const policyConfig = readPolicyConfig({
    POLICY_PROFILE_FILE: profile,
    POLICY_SIGNING_KEY_FILE: privateKey,
    POLICY_APPROVER_TOKENS: `alice:${APPROVER_TOKEN}`,
  });
  const executorConfig = readExecutorConfig({
    ...executorSettings,
    HTTP_EXECUTOR_DECISION_KEYS: publicKeys,
    HTTP_EXECUTOR_STORE: `sqlite:${join(folder, 'executor.db')}`,
  });
  await using started = new AsyncDisposableStack();
  const policy = started.use(await buildPolicy({ config: policyConfig, logger }));
  const executor = started.use(await buildExecutor({ config: executorConfig, logger }));
  const urls = { policy: await policy.listen(ANY_PORT), executor: await executor.listen(ANY_PORT) };
  const services = started.move();
  return { ...urls, [Symbol.asyncDispose]: () => services.disposeAsync() };
}

/** Returns a profile that states what a refund costs, so that a planner cannot claim less. */
function refundProfile(host: string) {
  const nothing = { pii: { categories: [] }, legal: { flags: [] } };
  const amount = { amount_minor_units: '/body/amount_cents', currency: 'EUR' };
  const refunds = { host, paths: ['/refunds'], outcome: 'allow' };
  const rules = [
    { ...refunds, methods: ['GET'], facts: { ...nothing, spend: 'none' } },
    { ...refunds, methods: ['POST'], facts: { ...nothing, spend: amount } },
  ];
  return { name: 'refunds', actions: { unlisted: 'deny', rules } };
}
