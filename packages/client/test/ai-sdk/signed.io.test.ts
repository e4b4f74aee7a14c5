import { BOSS, PLANNER, shared, startBound } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { gatehouseTool } from '../../src/ai-sdk/index.ts';
import {
  createExecutorClient,
  createGate,
  createPolicyClient,
  type PolicyClient,
} from '../../src/index.ts';
import { startKeyedExecutor } from '../support/signing.ts';
import { answered, generate, lastOutput, ORDER, type Order, RUNS } from './support/loop.ts';

const bound = shared(startBound);

type Sign = (approvalRequest: string) => ReturnType<PolicyClient['approve']>;

/** Signs as the approver `boss`. */
const sign: Sign = (approval_request) =>
  createPolicyClient({ url: bound().policy.url, token: BOSS }).approve({ approval_request });

/** Returns a tool whose orders need approval, because no one states what they spend. */
function orderTool(approve?: Sign, executorUrl = bound().executor.url) {
  return gatehouseTool<Order>({
    gate: createGate({
      policy: createPolicyClient({ url: bound().policy.url, token: PLANNER }),
      executor: createExecutorClient({ url: executorUrl, token: PLANNER }),
    }),
    ...{ description: 'Orders.', inputSchema: ORDER },
    gated: ({ cents }) => ({
      check: { pii: { categories: [] }, legal: { flags: [] } },
      action: { method: 'POST', url: `${bound().shop.origin}/orders`, body: { cents } },
    }),
    ...(approve && { approve }),
  });
}

const orders = () => bound().shop.requests.map(({ body }) => JSON.parse(body));

describe.each(RUNS)('%s, with services that bind executions to decisions', (_name, run) => {
  it('executes what a person approved, once', async () => {
    const order = orderTool(sign);
    const before = orders().length;
    const asked = await run(order, [{ cents: 1 }]);
    const approved = answered(asked, true);
    const told = await run(order, [], approved);
    expect(lastOutput(told)).toMatchObject({
      value: { state: 'executed', outcome: { body: { id: 7 } } },
    });
    expect(orders().slice(before)).toEqual([{ cents: 1 }]);
    const again = lastOutput(await run(order, [], approved));
    expect(again).toMatchObject({ value: { state: 'needs_approval' } });
    expect(orders()).toHaveLength(before + 1);
  });

  it('executes nothing under an approval of another action', async () => {
    const before = orders().length;
    let first: Awaited<ReturnType<Sign>> | undefined;
    const order = orderTool(async (request) => {
      first ??= await sign(request);
      return first;
    });
    await run(order, [], answered(await run(order, [{ cents: 2 }]), true));
    expect(orders()).toHaveLength(before + 1);
    const asked = await run(order, [{ cents: 1 }]);
    const output = lastOutput(await run(order, [], answered(asked, true)));
    expect(JSON.stringify(output)).toContain('approval_other_action');
    expect(orders()).toHaveLength(before + 1);
  });

  it('signs nothing that a person declined', async () => {
    const never = () => {
      throw new Error('signed');
    };
    const order = orderTool(never);
    const asked = await run(order, [{ cents: 1 }]);
    expect(lastOutput(await run(order, [], answered(asked, false)))).toMatchObject({
      type: 'execution-denied',
    });
  });

  it('tells the model if signing fails, and sends nothing', async () => {
    const before = orders().length;
    const order = orderTool(() => Promise.reject(new Error('no approver')));
    const asked = await run(order, [{ cents: 1 }]);
    const output = lastOutput(await run(order, [], answered(asked, true)));
    expect(JSON.stringify(output)).toContain('no approver');
    expect(orders()).toHaveLength(before);
  });

  it('without `approve`, tells the model what the application must pass', async () => {
    const before = orders().length;
    const order = orderTool();
    const asked = await run(order, [{ cents: 1 }]);
    expect(lastOutput(await run(order, [], answered(asked, true)))).toMatchObject({
      value: { state: 'refused', reason: expect.stringMatching(/`approve` to `gatehouseTool`/) },
    });
    expect(orders()).toHaveLength(before);
  });
});

it('tells the model that an unknown outcome may be an effect', async () => {
  const unknown = { outcome: 'failure', error: 'OutcomeUnknown', message: 'm' };
  const body = { ...unknown, attempts: 1, history: [] };
  await using ended = await startKeyedExecutor([() => ({ body })]);
  const order = orderTool(sign, ended.origin);
  const asked = await generate(order, [{ cents: 1 }]);
  const told = lastOutput(await generate(order, [], answered(asked, true)));
  expect(told).toMatchObject({ value: { state: 'executed', maybeSent: true, outcome: unknown } });
});
