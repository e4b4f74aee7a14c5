import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPolicyClient } from '@gatehouse/client';
import { shared, startService, startUpstream } from '@gatehouse/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { COSTS, httpHost, startMcp } from './support/host.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mcp-binding-'));
afterAll(() => rmSync(folder, { recursive: true }));
const key = join(folder, 'key.pem');
const { privateKey } = generateKeyPairSync('ed25519');
writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });

const BOSS = 'boss-token-0123456789';

describe('with services that bind executions to decisions', () => {
  const shop = shared(() => startUpstream({ body: { id: 7 } }));
  const policy = shared(() =>
    startService('policy', {
      ...{ POLICY_SIGNING_KEY_FILE: key, POLICY_APPROVER_TOKENS: `boss:${BOSS}` },
    }),
  );
  const executor = shared(() =>
    startService('executor', {
      HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop().port}`,
      HTTP_EXECUTOR_DECISION_KEYS: `${policy().url}/policy/keys`,
      HTTP_EXECUTOR_STORE: `sqlite:${join(folder, 'keys.db')}`,
    }),
  );
  const serve = (env: Record<string, string> = {}) =>
    startMcp({ args: ['--policy-url', policy().url, '--executor-url', executor().url], env });
  const buy = (cents: number) => ({ method: 'POST', url: `${shop().origin}/`, ...COSTS(cents) });

  it('sends what the policy allows, and what an approver signs later', async () => {
    await using mcp = await serve();
    await using host = await httpHost(mcp);
    expect((await host.request(buy(100))).answer).toMatchObject({ state: 'executed' });
    expect(shop().requests).toHaveLength(1);
    const { answer } = await host.request(buy(25_000));
    expect(answer).toMatchObject({ state: 'needs_approval' });

    await using boss = createPolicyClient({ url: policy().url, token: BOSS });
    const { approval } = await boss.approve({ approval_request: String(answer.approval_request) });
    const other = await host.request({ ...buy(24_000), approval });
    expect(other.answer).toMatchObject({
      ...{ state: 'needs_approval', reason: expect.stringContaining('approval_other_check') },
    });
    expect(shop().requests).toHaveLength(1);
    const sent = await host.request({ ...buy(25_000), approval });
    expect(sent.answer).toMatchObject({ state: 'executed', outcome: { body: { id: 7 } } });
    const again = await host.request({ ...buy(25_000), approval });
    expect(again.answer).toMatchObject({ problem: { code: 'DecisionUsed' } });
    expect(shop().requests).toHaveLength(2);
  });

  it("signs what the host's user approves", async () => {
    await using mcp = await serve({ GATEHOUSE_APPROVER_TOKEN: BOSS });
    const user = () => ({ action: 'accept', content: {} }) as const;
    await using host = await httpHost(mcp, { user });
    const before = shop().requests.length;
    const { answer } = await host.request(buy(30_000));
    expect(answer).toMatchObject({ state: 'executed' });
    expect(JSON.stringify(answer.rules)).toContain('boss');
    expect(shop().requests).toHaveLength(before + 1);
  });
});
