import { type Handler, reply, shared, startService, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import type { PlanResult } from '../src/plan.ts';
import { startExecutor } from './support/executor.ts';
import { APPROVER, startGateway } from './support/gateway.ts';
import { ALONE, awaiting, SUCCESS, step } from './support/steps.ts';

const RULES = ['spend_limit', 'pii_guardrail', 'legal_compliance'].map((rule) => ({
  ...{ rule, outcome: 'allow', detail: '' },
}));

const statesOf = ({ steps }: PlanResult) => steps.map(({ id, state }) => `${id} ${state}`);
const digestOf = ({ steps }: PlanResult, step: string) =>
  steps.find(({ id }) => id === step)?.digest;

describe('a plan with real services', () => {
  const shop = shared(() => startUpstream({ body: { ok: true } }));
  const policy = shared(() => startService('policy'));
  const executor = shared(() =>
    startService('executor', { HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop().port}` }),
  );
  const start = () =>
    startGateway({
      ...{ GATEWAY_POLICY_URL: policy().url, GATEWAY_EXECUTOR_URL: executor().url },
      GATEWAY_APPROVER_TOKEN: APPROVER,
    });
  const on = (id: string) => ({ action: { method: 'POST', url: `${shop().origin}/${id}` } });
  /** The paths that the shop received after `before` requests. */
  const sent = (before: number) =>
    shop()
      .requests.slice(before)
      .map(({ url }) => url);

  it('waits for approval, with the steps that depend on it, and then resumes once', async () => {
    await using gateway = await start();
    const before = shop().requests.length;
    const plan = {
      plan_id: 'p1',
      steps: [
        step('look', on('look')),
        awaiting('buy', on('buy')),
        step('ship', on('ship')),
        step('greet', { ...on('greet'), ...ALONE }),
        step('invoice', { ...on('invoice'), depends_on: ['look', 'ship'] }),
      ],
    };
    const first = await gateway.run(plan);
    const waits = ['look executed', 'buy awaiting_approval', 'ship not_reached'];
    expect(statesOf(first)).toEqual([...waits, 'greet executed', 'invoice not_reached']);
    expect(first).toMatchObject({ status: 'awaiting_approval', awaiting_approval: ['buy'] });
    expect(first.steps[2]?.message).toContain('the step `buy` has not succeeded');
    expect(await gateway.run(plan)).toEqual({ ...first, steps: expect.anything() });
    expect(sent(before)).toEqual(['/look', '/greet']);

    const approval = { step: 'buy', digest: digestOf(first, 'buy') };
    const resumed = (await (await gateway.approve('p1', approval)).json()) as PlanResult;
    expect(resumed).toMatchObject({ plan_id: 'p1', status: 'completed', awaiting_approval: [] });
    expect(resumed.steps[1]).toMatchObject({ state: 'executed', decision: 'require_approval' });
    expect(resumed.steps[0]).toEqual(first.steps[0]);
    expect((await gateway.approve('p1', approval)).status).toBe(409);
    expect(await gateway.run(plan)).toEqual(resumed);
    expect(sent(before)).toEqual(['/look', '/greet', '/buy', '/ship', '/invoice']);
  });

  it('approves exactly one step, even if another step is equal', async () => {
    await using gateway = await start();
    const before = shop().requests.length;
    const steps = ['one', 'two'].map((id) => awaiting(id, { ...on('same'), ...ALONE }));
    const first = await gateway.run({ plan_id: 'p2', steps });
    expect(digestOf(first, 'one')).toBe(digestOf(first, 'two'));
    const approval = { step: 'two', digest: digestOf(first, 'two') };
    const resumed = (await (await gateway.approve('p2', approval)).json()) as PlanResult;
    expect(statesOf(resumed)).toEqual(['one awaiting_approval', 'two executed']);
    expect(sent(before)).toEqual(['/same']);
  });

  it('accepts approvals only from an approver, and only for a step that waits', async () => {
    await using gateway = await start();
    const before = shop().requests.length;
    const first = await gateway.run({ plan_id: 'p3', steps: [awaiting('buy', on('buy'))] });
    const approval = { step: 'buy', digest: digestOf(first, 'buy') };
    for (const [planId, body, token, status] of [
      ['p3', approval, 'another', 401],
      ['p4', approval, APPROVER, 404],
      ['p3', { ...approval, digest: 'another' }, APPROVER, 409],
      ['p3', { ...approval, step: 'another' }, APPROVER, 409],
      ['p3', { digest: approval.digest }, APPROVER, 400],
    ] as const)
      expect((await gateway.approve(planId, body, token)).status).toBe(status);
    await using closed = await startGateway({ GATEWAY_EXECUTOR_URL: executor().url });
    expect((await closed.approve('p3', approval, '')).status).toBe(403);
    expect(sent(before)).toEqual([]);
  });

  it('refuses other steps under a known id', async () => {
    await using gateway = await start();
    await gateway.run({ plan_id: 'p5', steps: [step('a', on('a'))] });
    const other = await gateway.post({ plan_id: 'p5', steps: [step('a', on('b'))] });
    expect([other.status, await other.json()]).toMatchObject([409, { status: 409 }]);
  });

  it('does not run a plan twice at the same time', async () => {
    await using gateway = await start();
    const before = shop().requests.length;
    const plan = { plan_id: 'p6', steps: [step('a', on('a'))] };
    const answers = await Promise.all([gateway.post(plan), gateway.post(plan)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(sent(before)).toEqual(['/a']);
  });
});

it('repeats a step that was not sent, but never a step that may have been sent', async () => {
  const cut: Handler = (_request, response) => void response.socket?.destroy();
  const script: Handler[] = [cut];
  await using executor = await startExecutor((request, response) => {
    const next = script.shift();
    if (next) next(request, response);
    else reply(response, { body: SUCCESS });
  });
  const settings = { GATEWAY_EXECUTOR_URL: executor.origin };
  await using gateway = await startGateway(settings);
  const plan = { plan_id: 'p', steps: [step('a'), step('b')] };
  const first = await gateway.run(plan);
  expect(first.steps[0]).toMatchObject({ state: 'failed', maybe_sent: true });
  expect(await gateway.run(plan)).toEqual({ ...first, steps: expect.anything() });
  expect(executor.requests).toHaveLength(1);

  const down = { status: 500, body: 'down' };
  await using policy = await startUpstream([down, { body: { decision: 'allow', rules: RULES } }]);
  await using unsure = await startGateway({ ...settings, GATEWAY_POLICY_URL: policy.origin });
  const unsent = await unsure.run(plan);
  expect(statesOf(unsent)).toEqual(['a failed', 'b not_reached']);
  expect(unsent.steps[0]).not.toHaveProperty('maybe_sent');
  expect(statesOf(await unsure.run(plan))).toEqual(['a executed', 'b executed']);
});

it('keeps the results of sent steps if the caller disconnects', async () => {
  const arrived = Promise.withResolvers<void>();
  let calls = 0;
  await using executor = await startExecutor((_request, response) => {
    calls += 1;
    if (calls === 2) arrived.resolve();
    else reply(response, { body: SUCCESS });
  });
  await using gateway = await startGateway({ GATEWAY_EXECUTOR_URL: executor.origin });
  const plan = { plan_id: 'p', steps: [step('a'), step('b')] };
  const caller = new AbortController();
  const left = gateway.post(plan, { signal: caller.signal });
  await arrived.promise;
  caller.abort();
  await expect(left).rejects.toThrow('aborted');
  await expect.poll(async () => (await gateway.post(plan)).status).toBe(200);
  const resumed = await gateway.run(plan);
  expect(statesOf(resumed)).toEqual(['a executed', 'b failed']);
  expect(resumed.steps[1]).toMatchObject({ maybe_sent: true });
  expect(calls).toBe(2);
});
