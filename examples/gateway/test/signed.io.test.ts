import { type Handler, reply, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import type { PlanResult } from '../src/plan.ts';
import { startExecutor } from './support/executor.ts';
import { APPROVER, startGateway } from './support/gateway.ts';
import { ALONE, SUCCESS, step } from './support/steps.ts';

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

it('a signed approval lets the policy decide again, and only about its step', async () => {
  const rules = (outcome: string) => ({
    decision: outcome,
    rules: ['spend_limit', 'pii_guardrail', 'legal_compliance'].map((rule) => ({
      ...{ rule, outcome, detail: '' },
    })),
  });
  const checks: { approval?: string; action: { url: string } }[] = [];
  await using policy = await startUpstream(({ body }, response) => {
    checks.push(JSON.parse(body));
    const isApproved = checks.at(-1)?.approval === 'yes';
    const asks = { ...rules('require_approval'), approval_request: 'request' };
    reply(response, { body: isApproved ? { ...rules('allow'), token: 'decision' } : asks });
  });
  await using executor = await startExecutor();
  const lines: string[] = [];
  const settings = {
    ...{ GATEWAY_EXECUTOR_URL: executor.origin, GATEWAY_POLICY_URL: policy.origin },
    GATEWAY_APPROVER_TOKEN: APPROVER,
  };
  await using gateway = await startGateway(settings, { lines });
  const steps = [step('a', ALONE), step('b', ALONE)];
  const first = await gateway.run({ plan_id: 'p', steps });
  const waits = { state: 'awaiting_approval', approval_request: 'request' };
  expect(first.steps).toMatchObject([waits, waits]);

  const approval = { step: 'b', digest: first.steps[1]?.digest };
  const wrong = await gateway.approve('p', { ...approval, approval: 'no' });
  expect(statesOf((await wrong.json()) as PlanResult)).toEqual([
    ...['a awaiting_approval', 'b awaiting_approval'],
  ]);
  expect(executor.requests).toHaveLength(0);
  const right = await gateway.approve('p', { ...approval, approval: 'yes' });
  expect(statesOf((await right.json()) as PlanResult)).toEqual([
    'a awaiting_approval',
    'b executed',
  ]);
  expect(checks.slice(-2)).toMatchObject([{ action: {} }, { approval: 'yes' }]);
  expect(checks.at(-2)).not.toHaveProperty('approval');
  expect(executor.requests.map(({ headers }) => headers['x-gatehouse-decision'])).toEqual([
    'decision',
  ]);
  expect(lines.join('')).not.toContain('"yes"');
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
