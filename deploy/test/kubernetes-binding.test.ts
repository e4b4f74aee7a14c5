import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig as readExecutor } from '@gatehouse/executor-service/config';
import { readConfig as readPolicy } from '@gatehouse/policy-service/config';
import { afterAll, describe, expect, it } from 'vitest';
import type { NetworkPolicy } from './support/kubernetes.ts';
import {
  BOUND,
  BOUND_EXECUTOR,
  BOUND_POLICY,
  named,
  PROFILE,
  ROOT,
  SERVICES,
} from './support/manifests.ts';

const DOCUMENT = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1' };

/** Content of each mounted file, by the setting that names it. */
const FILES: Readonly<Record<string, string>> = {
  POLICY_PROFILE_FILE: PROFILE.data['profile.yaml'] ?? '',
  POLICY_API_TOKENS_FILE: 'planner:a-token-of-some-length',
  POLICY_SIGNING_KEY_FILE: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  POLICY_APPROVER_TOKENS_FILE: 'alice:another-token-of-some-length',
  HTTP_EXECUTOR_API_TOKENS_FILE: 'planner:a-token-of-some-length',
  HTTP_EXECUTOR_DECISION_KEYS: JSON.stringify({ keys: [jwk] }),
};

/** Settings of a container, with files of this test in place of mounted files. */
function envOf({ env }: typeof BOUND_POLICY) {
  const paths = Object.entries(FILES).map(([name, content]) => {
    writeFileSync(join(folder, name), content);
    return [name, join(folder, name)] as const;
  });
  return { ...env, ...Object.fromEntries(paths.filter(([name]) => name in env)) };
}

/** Returns the Secret or ConfigMap with the file that a setting names. */
function sourceOf({ env, container, pod }: typeof BOUND_POLICY, setting: string) {
  const path = env[setting] ?? expect.fail();
  const mount = container.volumeMounts.find(({ mountPath }) => path.startsWith(`${mountPath}/`));
  const volume = pod.volumes.find(({ name }) => name === mount?.name);
  const file = path.slice(Number(mount?.mountPath.length) + 1);
  return { name: volume?.secret?.secretName ?? volume?.configMap?.name, file };
}

describe('the component `binding`', () => {
  it('changes settings only where it is added', () => {
    for (const { env } of SERVICES)
      expect(Object.keys(env).join()).not.toMatch(/SIGNING|APPROVER|DECISION|STORE/);
  });

  it('lets the policy service sign, and approvers approve', () => {
    const { signing, access } = readPolicy(envOf(BOUND_POLICY));
    expect(signing?.keys.keySet.keys).toHaveLength(1);
    const approver = access.approverTokens?.accept('Bearer another-token-of-some-length');
    expect(approver?.caller).toBe('alice');
  });

  it('lets the executor require decisions, and share its store', () => {
    const url = 'postgres://gatehouse:secret@db:5432/gatehouse';
    const env = { ...envOf(BOUND_EXECUTOR), HTTP_EXECUTOR_STORE: url };
    const { decisionKeys, storeLocation, warnings } = readExecutor(env);
    expect(decisionKeys).toEqual({ path: join(folder, 'HTTP_EXECUTOR_DECISION_KEYS') });
    expect([storeLocation, warnings]).toEqual([{ url }, []]);
  });

  it.each([
    [BOUND_POLICY, 'POLICY_SIGNING_KEY_FILE', 'secret generic'],
    [BOUND_POLICY, 'POLICY_APPROVER_TOKENS_FILE', 'secret generic'],
    [BOUND_EXECUTOR, 'HTTP_EXECUTOR_DECISION_KEYS', 'configmap'],
  ])('mounts what docs/deploy.md creates: $name $1', (service, setting, kind) => {
    const { name, file } = sourceOf(service, setting);
    expect(DOCUMENT).toMatch(new RegExp(`create ${kind} ${name} --from-file=${file}[= ]`));
  });

  it('reads the URL of the store from the Secret that docs/deploy.md creates', () => {
    const store = BOUND_EXECUTOR.container.env.find(({ name }) => name === 'HTTP_EXECUTOR_STORE');
    const { name, key } = store?.valueFrom?.secretKeyRef ?? expect.fail();
    expect(DOCUMENT).toContain(`create secret generic ${name} --from-file=${key}=`);
  });

  it('lets only the executor reach PostgreSQL', () => {
    const policy = named<NetworkPolicy>('NetworkPolicy', 'gatehouse-executor-store', BOUND);
    expect(BOUND_EXECUTOR.labels).toMatchObject(policy.spec.podSelector.matchLabels ?? {});
    expect(policy.spec.egress?.map(({ ports }) => ports)).toEqual([
      [{ protocol: 'TCP', port: 5432 }],
    ]);
    expect(policy.spec.ingress).toBeUndefined();
  });
});
