import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, startService, startUpstream } from '@gatehouse/testing';
import { afterAll, expect, it } from 'vitest';

const CLI = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-rotation-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [privateKeys, publicKeys] = [join(folder, 'keys.pem'), join(folder, 'keys.json')];

function keygen(...options: string[]): void {
  execFileSync(process.execPath, [CLI, 'keygen', privateKeys, '--public', publicKeys, ...options]);
}

async function post(url: string, document: object, headers = {}) {
  const body = JSON.stringify(document);
  const type = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body });
  return (await response.json()) as Record<string, string>;
}

/** Waits until a service has logged a message so many times. */
const logged = (service: ServiceProcess, text: string, times: number) =>
  expect
    .poll(() => service.lines().filter(({ msg }) => String(msg).startsWith(text)).length)
    .toBe(times);

// docs/binding.md, "Change keys".
it('changing the keys of the policy service refuses no execution', async () => {
  keygen();
  await using upstream = await startUpstream({ body: {} });
  await using policy = await startService('policy', { POLICY_SIGNING_KEY_FILE: privateKeys });
  await using executor = await startService('executor', {
    HTTP_EXECUTOR_DECISION_KEYS: publicKeys,
  });
  const facts = {
    spend: { amount_minor_units: 0, currency: 'EUR' },
    ...{ pii: { categories: [] }, legal: { flags: [] } },
  };
  const action = { method: 'GET', url: `${upstream.origin}/` };
  const [refused, signers] = [[] as unknown[], new Set<string>()];
  let isDone = false;
  const call = async () => {
    while (!isDone) {
      const { token = '' } = await post(`${policy.url}/policy/check`, { ...facts, action });
      const [header = ''] = token.split('.');
      signers.add(JSON.parse(Buffer.from(header, 'base64url').toString()).kid);
      const headers = { 'x-gatehouse-decision': token };
      const answer = await post(`${executor.url}/execute`, action, headers);
      if (answer.outcome !== 'success') refused.push(answer);
    }
  };
  const calls = Promise.all([call(), call()]);
  keygen('--add');
  await logged(executor, 'decision keys changed', 2);
  expect(signers.size).toBe(1);
  keygen('--use-last');
  await expect.poll(() => signers.size).toBe(2);
  await logged(policy, 'signing keys changed', 2);
  isDone = true;
  await calls;
  expect(refused).toEqual([]);
});
