import { createPolicyClient } from '@gatehouse/client';
import { BOSS, type Handler, PLANNER, reply, startBound } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import type { PlanResult } from '../src/plan.ts';
import { startExecutor } from './support/executor.ts';
import { APPROVER, startGateway } from './support/gateway.ts';
import { ALONE, awaiting, SUCCESS, step } from './support/steps.ts';

const statesOf = ({ steps }: PlanResult) => steps.map(({ id, state }) => `${id} ${state}`);

describe('an executor with a store', () => {
  const outcomes = new Map<unknown, string>();
  /** Answers like a real store: an outcome is for one key and one action. */
  const keyed: Handler = ({ headers: { 'idempotency-key': key }, body }, response) => {
    const replayed = outcomes.get(key) === body;
    outcomes.set(key, body);
    const headers = replayed ? { 'idempotent-replayed': 'true' } : {};
    reply(response, { headers, body: SUCCESS });
  };

  it('carries out each step once, even if the gateway forgets the plan', async () => {
    await using executor = await startExecutor(keyed, true);
    const plan = { plan_id: 'p 1', steps: [step('a'), step('b'), step('Ü"')] };
    const results: PlanResult[] = [];
    for (let start = 0; start < 2; start++) {
      await using gateway = await startGateway({ GATEWAY_EXECUTOR_URL: executor.origin });
      results.push(await gateway.run(plan));
    }
    for (const { status } of results) expect(status).toBe('completed');
    expect(results[0]?.steps[0]).not.toHaveProperty('replayed');
    for (const each of results[1]?.steps ?? []) expect(each).toMatchObject({ replayed: true });
    await using other = await startGateway({ GATEWAY_EXECUTOR_URL: executor.origin });
    const again = await other.run({ ...plan, plan_id: 'p 2' });
    expect(again.steps[0]).not.toHaveProperty('replayed');
    expect(outcomes.size).toBe(6);
  });

  it('may get a step again whose answer was lost, under the same key', async () => {
    const script: Handler[] = [1, 2].map(() => (_, response) => void response.socket?.destroy());
    await using executor = await startExecutor((request, response) => {
      (script.shift() ?? keyed)(request, response);
    }, true);
    await using gateway = await startGateway({ GATEWAY_EXECUTOR_URL: executor.origin });
    const plan = { plan_id: 'p3', steps: [step('a')] };
    expect((await gateway.run(plan)).steps[0]).toMatchObject({ state: 'failed', maybe_sent: true });
    expect(statesOf(await gateway.run(plan))).toEqual(['a executed']);
    expect(new Set(executor.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(
      1,
    );
    expect(executor.requests).toHaveLength(3);
  });
});

it('a signed approval lets exactly its step through', async () => {
  await using bound = await startBound();
  const { shop, policy, executor } = bound;
  const lines: string[] = [];
  const settings = {
    ...{ GATEWAY_EXECUTOR_URL: executor.url, GATEWAY_EXECUTOR_API_TOKEN: PLANNER },
    ...{ GATEWAY_POLICY_URL: policy.url, GATEWAY_POLICY_API_TOKEN: PLANNER },
    GATEWAY_APPROVER_TOKEN: APPROVER,
  };
  await using gateway = await startGateway(settings, { lines });
  const refund = (id: string) => {
    const action = { method: 'POST', url: `${shop.origin}/refunds`, body: { id } };
    return awaiting(id, { ...ALONE, action });
  };
  const { steps } = await gateway.run({ plan_id: 'p', steps: [refund('a'), refund('b')] });
  const waits = { state: 'awaiting_approval', approval_request: expect.any(String) };
  expect(steps).toMatchObject([waits, waits]);

  const [a, b] = steps;
  const boss = createPolicyClient({ url: policy.url, token: BOSS });
  const { approval } = await boss.approve({ approval_request: String(b?.approval_request) });
  const wrong = await gateway.approve('p', { step: 'a', digest: a?.digest, approval });
  expect(statesOf((await wrong.json()) as PlanResult)).toEqual([
    ...['a awaiting_approval', 'b awaiting_approval'],
  ]);
  expect(shop.requests).toHaveLength(0);

  const right = await gateway.approve('p', { step: 'b', digest: b?.digest, approval });
  expect(statesOf((await right.json()) as PlanResult)).toEqual([
    'a awaiting_approval',
    'b executed',
  ]);
  expect(shop.requests.map(({ body }) => JSON.parse(body))).toEqual([{ id: 'b' }]);
  expect(lines.join('')).not.toContain(approval);
});

it('a step that is malformed is refused with pointers into its action', async () => {
  await using executor = await startExecutor();
  await using gateway = await startGateway({ GATEWAY_EXECUTOR_URL: executor.origin });
  const action = { method: 'GET', url: 'http://localhost/', headers: { connection: 'close' } };
  const { steps } = await gateway.run({ steps: [step('a', { action })] });
  expect(steps[0]).toMatchObject({
    state: 'refused',
    problem: { code: 'InvalidAction', errors: [{ pointer: '/headers/connection' }] },
  });
  expect(executor.requests).toEqual([]);
});
