import { readFileSync } from 'node:fs';
import type { CheckRequest, ExecutionOutcome } from '@gatehouse/contracts';
import { checkPolicy } from '@gatehouse/policy';
import { startService, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import {
  createExecutorClient,
  createGate,
  createPolicyClient,
  type Policy,
  ProblemError,
} from '../src/index.ts';

const CHECK = {
  spend: { amount_minor_units: 100, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
};
const costs = (amount_minor_units: number) => ({
  ...CHECK,
  spend: { amount_minor_units, currency: 'EUR' },
});

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const [, policyOfReadme] = /^```js\nconst policy = (.*?);\n```/ms.exec(readme) ?? [];

/** Policy from the README's example, which runs the engine in this process. */
const engine: Policy = new Function('checkPolicy', `return ${policyOfReadme}`)(checkPolicy);

describe('the gate, with real services', () => {
  it('executes only allowed actions', async () => {
    await using shop = await startUpstream({ body: { id: 7 } });
    const env = { HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop.port}` };
    const [policyService, executorService] = await Promise.all([
      startService('policy'),
      startService('executor', env),
    ]);
    await using _policy = policyService;
    await using _executor = executorService;
    await using policy = createPolicyClient({ url: policyService.url });
    await using executor = createExecutorClient({ url: executorService.url });
    const action = { method: 'GET', url: `${shop.origin}/products/7` };
    for (const judge of [policy, engine]) {
      const before = shop.requests.length;
      const sent = () => shop.requests.length - before;
      const gate = createGate({ policy: judge, executor });
      expect(await gate.run({ check: CHECK, action })).toMatchObject({
        ...{ state: 'executed', outcome: { outcome: 'success', status: 200, body: { id: 7 } } },
      });
      expect(sent()).toBe(1);
      for (const [check, state] of [
        [CHECK, 'allowed'],
        [costs(20_000), 'needs_approval'],
        [costs(60_000), 'denied'],
        [{ ...CHECK, connectors: { scope: 'mcp://secrets' } } as object, 'denied'],
      ] as const)
        expect(await gate.check({ check: check as CheckRequest })).toMatchObject({
          state,
          requestId: expect.any(String),
        });
      expect(sent()).toBe(1);
      expect(await gate.run({ check: costs(60_000), action })).toMatchObject({
        ...{ state: 'denied', reason: expect.stringContaining('spend_limit: ') },
      });
      expect(await gate.run({ check: costs(20_000), action })).toMatchObject({
        state: 'needs_approval',
        reason: expect.stringMatching(/^spend_limit: EUR 200.00 /),
      });
      expect(await gate.run({ check: {}, action })).toMatchObject({ state: 'needs_approval' });
      expect(await gate.run({ check: { typo: 1 } as object, action })).toMatchObject({
        state: 'denied',
        rules: [],
      });
      const strange = { check: CHECK, action: { method: 'GET', url: 'http://stranger.example/' } };
      const problem = { code: 'HostNotAllowed' };
      expect(await gate.run(strange)).toMatchObject({ state: 'refused', problem });
      expect(sent()).toBe(1);
    }
    await using nobody = createExecutorClient({ url: 'http://127.0.0.1:1' });
    const lost = await createGate({ policy, executor: nobody }).run({ check: CHECK, action });
    expect(lost).toMatchObject({ state: 'unanswered', maybeSent: false, rules: [{}, {}, {}] });
    expect(await executor.dryRun(action)).toMatchObject({ outcome: 'dry_run', would_send: true });
    expect(await executor.sandbox()).toMatchObject({
      allowed_hosts: [env.HTTP_EXECUTOR_ALLOWED_HOSTS],
    });
    const { digest } = await policy.profile();
    expect(await policy.explain(costs(20_000))).toMatchObject({
      decision: 'require_approval',
      explanation: { digest, rules: [{ code: 'amount_above_limit' }, {}, {}] },
    });
    expect(await policy.batch([CHECK, { typo: 1 } as object, costs(60_000)])).toMatchObject([
      { decision: 'allow' },
      { code: 'InvalidRequest', status: 400 },
      { decision: 'deny' },
    ]);
    for (const service of [policy, executor])
      expect(await service.health()).toEqual({ status: 'ok' });
    await expect(policy.check({ typo: 1 } as object)).rejects.toThrow(ProblemError);
    await executor.execute(action, { requestId: 'joined-1' });
    await executorService.printed(/"request_id":"joined-1"/);
  });

  it('uses one request id for the services and, as a header of the action, the upstream', async () => {
    await using shop = await startUpstream();
    const env = { HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop.port}` };
    await using service = await startService('executor', env);
    await using executor = createExecutorClient({ url: service.url });
    const headers = { 'x-request-id': 'order-7' };
    const action = { method: 'GET', url: shop.origin, headers };
    const gate = createGate({ policy: engine, executor });
    await gate.run({ check: CHECK, action }, { requestId: 'order-7' });
    expect(shop.requests[0]?.headers).toMatchObject(headers);
    await service.printed(/"request_id":"order-7"/);
  });

  it('asks for approval if the policy requires it, and only `true` approves', async () => {
    const outcome: ExecutionOutcome = {
      ...{ outcome: 'success', status: 200, headers: {}, body: null, attempts: 1, history: [] },
    };
    const executor = { execute: async () => outcome };
    const gate = createGate({ policy: engine, executor });
    const action = { method: 'GET', url: 'http://a.example' };
    const asked: string[] = [];
    for (const [answer, result] of [
      [true, { state: 'executed' }],
      [false, { state: 'needs_approval', declined: true }],
      ['yes', { state: 'needs_approval', declined: true }],
      [undefined, { state: 'needs_approval', declined: true }],
    ] as const) {
      const approve = async ({ reason, requestId }: { reason: string; requestId: string }) => {
        asked.push(`${requestId} ${reason}`);
        return answer as boolean;
      };
      const options = { approve, requestId: 'r' };
      const seen = await gate.run({ check: costs(20_000), action }, options);
      expect([answer, seen]).toMatchObject([answer, result]);
    }
    expect(await gate.run({ check: costs(20_000), action })).not.toHaveProperty('declined');
    expect(asked).toHaveLength(4);
    expect(asked[0]).toMatch(/^r spend_limit: EUR 200.00/);
    const never = () => {
      throw new Error('asked');
    };
    for (const [state, check] of Object.entries({ denied: costs(60_000), executed: CHECK }))
      expect(await gate.run({ check, action }, { approve: never })).toMatchObject({ state });
  });

  it('passes on how long to wait before the next call', async () => {
    const busy = { title: '', status: 503, detail: '', code: 'NotReady', request_id: 'r' };
    const bodies = { refused: { ...busy, type: '/problems/x' }, unanswered: {} };
    const headers = { 'retry-after': '7' };
    for (const [state, body] of Object.entries(bodies)) {
      await using full = await startUpstream({ status: 503, headers, body });
      await using executor = createExecutorClient({ url: full.origin });
      const gated = { check: CHECK, action: { method: 'GET', url: 'http://a.example' } };
      const result = await createGate({ policy: engine, executor }).run(gated);
      expect(result).toMatchObject({ state, retryAfterMs: 7_000 });
    }
  });

  it('asks no one about an action that the executor would not send', async () => {
    await using shop = await startUpstream();
    await using service = await startService('executor', {
      HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop.port},none.invalid`,
    });
    await using broken = await startUpstream({ body: { outcome: 'dry_run' } });
    await using executor = createExecutorClient({ url: service.url });
    await using nobody = createExecutorClient({ url: 'http://127.0.0.1:1' });
    await using unusable = createExecutorClient({ url: broken.origin });
    const get = (url: string) => ({ check: costs(20_000), action: { method: 'GET', url } });
    const stopped = (reason: RegExp) => ({
      ...{ state: 'unanswered', maybeSent: false, rules: [{}, {}, {}] },
      reason: expect.stringMatching(reason),
    });
    for (const [client, url, result] of [
      [executor, 'http://stranger.example/', { problem: { code: 'HostNotAllowed' } }],
      [executor, 'http://none.invalid/', stopped(/^The request would fail\. .*no one was asked/)],
      [nobody, shop.origin, stopped(/cannot be reached .*no one was asked for approval\.$/)],
      [unusable, shop.origin, stopped(/unexpected body.* This was a dry run: nothing was sent/)],
    ] as const) {
      const gate = createGate({ policy: engine, executor: client });
      const approve = () => {
        throw new Error('asked');
      };
      expect([url, await gate.run(get(url), { approve })]).toMatchObject([url, result]);
      expect([url, await gate.check(get(url))]).toMatchObject([url, result]);
      expect(await gate.run(get(url))).toMatchObject({ state: 'needs_approval' });
      expect(await gate.check({ check: costs(20_000) })).toMatchObject({ state: 'needs_approval' });
      expect(await gate.check({ ...get(url), check: CHECK })).toMatchObject({ state: 'allowed' });
    }
    const gate = createGate({ policy: engine, executor });
    expect(await gate.check(get(shop.origin))).toMatchObject({ state: 'needs_approval' });
    expect(shop.requests).toHaveLength(0);
    const sent = await gate.run(get(shop.origin), { approve: () => true });
    expect([sent.state, shop.requests.length]).toEqual(['executed', 1]);
  });
});
