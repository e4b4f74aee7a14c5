import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createExecutorClient,
  createGate,
  createPolicyClient,
  type Gate,
  type GatedAction,
  type GateResult,
  type PolicyClient,
} from '@gatehouse/client';
import { shared, startService, startUpstream } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../../docs/agents.md', import.meta.url), 'utf8');
const [, section = ''] = /^## Approvals$(.*?)^## /ms.exec(page) ?? [];
const blocks = [...section.matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code);

interface Waiting {
  readonly gated: GatedAction;
  readonly approvalRequest: string;
}
interface Recipe {
  runOrWait(gate: Gate, gated: GatedAction, waiting: { add(one: Waiting): void }): GateResult;
  readRequest(policy: PolicyClient, request: string): Promise<{ action: unknown; check: unknown }>;
  approve(approver: PolicyClient, request: string): ReturnType<PolicyClient['approve']>;
  resume(gate: Gate, waiting: Waiting, given: { approval: string }): Promise<GateResult>;
}

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-approvals-'));
// The recipe imports `jose`, which Node finds only from inside this package.
const file = new URL('./approvals-recipe.mjs', import.meta.url);
let recipe: Recipe;
beforeAll(async () => {
  writeFileSync(file, blocks.join('\n'));
  recipe = await import(file.href);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(file, { force: true });
});

function signingKey(name: string): string {
  const path = join(folder, name);
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return path;
}

const TOKENS = { planner: 'planner:planner-token-0123456789', boss: 'boss:boss-token-0123456789' };
const tokenOf = (name: keyof typeof TOKENS) => TOKENS[name].slice(name.length + 1);

describe('an approval that is given hours later', () => {
  const shop = shared(() => startUpstream({ body: { order: 1 } }));
  const policyService = shared(() =>
    startService('policy', {
      POLICY_SIGNING_KEY_FILE: signingKey('policy.pem'),
      POLICY_API_TOKENS: TOKENS.planner,
      POLICY_APPROVER_TOKENS: TOKENS.boss,
    }),
  );
  const executorService = shared(() =>
    startService('executor', {
      HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop().port}`,
      HTTP_EXECUTOR_API_TOKENS: TOKENS.planner,
      HTTP_EXECUTOR_DECISION_KEYS: `${policyService().url}/policy/keys`,
    }),
  );
  const policyOf = (name: keyof typeof TOKENS) =>
    createPolicyClient({ url: policyService().url, token: tokenOf(name) });
  /** Returns a new gate, as a restarted agent would have. */
  const newGate = () => {
    const executor = createExecutorClient({
      ...{ url: executorService().url, token: tokenOf('planner') },
    });
    return createGate({ policy: policyOf('planner'), executor });
  };
  const order = (): GatedAction => ({
    check: {
      spend: { amount_minor_units: 25_000, currency: 'EUR' },
      ...{ pii: { categories: [] }, legal: { flags: [] } },
    },
    action: {
      ...{ method: 'POST', url: `${shop().origin}/orders`, body: { product: 'chair' } },
      headers: { 'x-api-key': 'of-the-shop' },
    },
  });
  const stored = async () => {
    const waiting: string[] = [];
    const add = (one: Waiting) => void waiting.push(JSON.stringify(one));
    const result = await recipe.runOrWait(newGate(), order(), { add });
    expect(result).toMatchObject({ state: 'needs_approval' });
    expect(waiting).toHaveLength(1);
    return JSON.parse(waiting[0] ?? '') as Waiting;
  };

  it('shows what was signed, and lets exactly that be sent, once', async () => {
    const before = shop().requests.length;
    const waiting = await stored();
    const { action, check } = await recipe.readRequest(policyOf('boss'), waiting.approvalRequest);
    expect(action).toMatchObject({ method: 'POST', body: { product: 'chair' } });
    expect(JSON.stringify(action)).not.toContain('of-the-shop');
    expect(check).toMatchObject({ spend: { amount_minor_units: 25_000 } });

    const approved = await recipe.approve(policyOf('boss'), waiting.approvalRequest);
    expect(approved).toMatchObject({ approved_by: 'boss' });
    expect(shop().requests).toHaveLength(before);
    expect(await recipe.resume(newGate(), waiting, approved)).toMatchObject({
      ...{ state: 'executed', outcome: { outcome: 'success', body: { order: 1 } } },
    });
    expect(shop().requests.at(-1)?.headers).toMatchObject({ 'x-api-key': 'of-the-shop' });
    expect(await recipe.resume(newGate(), waiting, approved)).toMatchObject({
      ...{ state: 'refused', problem: { code: 'DecisionUsed' } },
    });
    expect(shop().requests).toHaveLength(before + 1);
  });

  it('is for the action that was shown, and for nothing else', async () => {
    const before = shop().requests.length;
    const waiting = await stored();
    const approved = await recipe.approve(policyOf('boss'), waiting.approvalRequest);
    const { check, action } = waiting.gated;
    const others = [
      { check, action: { ...action, body: { product: 'sofa' } } },
      { check: { ...check, spend: { amount_minor_units: 24_000, currency: 'EUR' } }, action },
    ];
    for (const gated of others)
      expect(await recipe.resume(newGate(), { ...waiting, gated }, approved)).toMatchObject({
        ...{ state: 'needs_approval', approvalRequest: expect.any(String) },
        reason: expect.stringMatching(/approval_other_(?:action|check)/),
      });
    expect(shop().requests).toHaveLength(before);
  });

  it('is not shown if it is forged, and the agent cannot give it', async () => {
    const { approvalRequest } = await stored();
    const [header, claims = '', signature] = approvalRequest.split('.');
    const shown = Buffer.from(claims, 'base64url').toString().replace('chair', 'teddy');
    const forged = [header, Buffer.from(shown).toString('base64url'), signature].join('.');
    await expect(recipe.readRequest(policyOf('boss'), forged)).rejects.toThrow(/signature/);
    await expect(recipe.approve(policyOf('planner'), approvalRequest)).rejects.toMatchObject({
      problem: { code: 'ApproverRequired' },
    });
    await expect(recipe.approve(policyOf('boss'), forged)).rejects.toMatchObject({
      problem: { code: 'ApprovalInvalid' },
    });
  });

  it('cannot be replaced by a plain `true`, and nothing is sent', async () => {
    const before = shop().requests.length;
    const result = await newGate().run(order(), { approve: () => true });
    expect(result).toMatchObject({ state: 'refused', problem: { code: 'DecisionRequired' } });
    expect(shop().requests).toHaveLength(before);
  });
});
