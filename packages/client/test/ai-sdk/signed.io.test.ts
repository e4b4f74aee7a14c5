import { problemDocument } from '@gatehouse/contracts';
import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { gatehouseTool } from '../../src/ai-sdk/index.ts';
import {
  createExecutorClient,
  createGate,
  createPolicyClient,
  type PolicyClient,
} from '../../src/index.ts';
import { startKeyedExecutor, startSigningPolicy } from '../support/signing.ts';
import { answered, generate, lastOutput, ORDER, type Order, RUNS } from './support/loop.ts';

const policy = shared(startSigningPolicy);
const executor = shared(() => startKeyedExecutor());

type Sign = (approvalRequest: string, client: PolicyClient) => ReturnType<PolicyClient['approve']>;

function orderTool(sign?: Sign, url = executor().origin) {
  const client = createPolicyClient({ url: policy().origin });
  return gatehouseTool<Order>({
    gate: createGate({
      policy: client,
      executor: createExecutorClient({ url }),
    }),
    ...{ description: 'Orders.', inputSchema: ORDER },
    gated: ({ cents }) => ({
      check: { pii: { categories: [] }, legal: { flags: [] } },
      action: { method: 'POST', url: 'http://a.example/orders', body: { cents } },
    }),
    ...(sign && { approve: (request: string) => sign(request, client) }),
  });
}

const decisions = () =>
  executor()
    .requests.filter(({ url }) => url === '/execute')
    .map(({ headers }) => headers['x-gatehouse-decision']);
const sign: Sign = (approval_request, client) => client.approve({ approval_request });

describe.each(RUNS)('%s, with a policy that signs', (_name, run) => {
  it('signs what a person approved, once', async () => {
    const order = orderTool(sign);
    const before = decisions().length;
    const asked = await run(order, [{ cents: 1 }]);
    const approved = answered(asked, true);
    const told = await run(order, [], approved);
    expect(lastOutput(told)).toMatchObject({ value: { state: 'executed' } });
    expect(decisions().slice(before)).toEqual(['decision']);
    const again = lastOutput(await run(order, [], approved));
    expect(again).toMatchObject({ value: { state: 'needs_approval' } });
    expect(decisions()).toHaveLength(before + 1);
    for (const { url, body } of policy().requests)
      if (url === '/policy/check') expect(JSON.parse(body)).toHaveProperty('action');
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
    const order = orderTool(() => Promise.reject(new Error('no approver')));
    const before = decisions().length;
    const asked = await run(order, [{ cents: 1 }]);
    const output = lastOutput(await run(order, [], answered(asked, true)));
    expect(JSON.stringify(output)).toContain('no approver');
    expect(decisions()).toHaveLength(before);
  });
});

it('without `approve`, tells the model what the application must pass', async () => {
  const detail = 'The token is missing.';
  const problem = problemDocument('DecisionRequired', { detail, requestId: 'r' });
  await using strict = await startKeyedExecutor([() => ({ status: 403, body: problem })]);
  const order = orderTool(undefined, strict.origin);
  const asked = await generate(order, [{ cents: 1 }]);
  const told = lastOutput(await generate(order, [], answered(asked, true)));
  expect(told).toMatchObject({
    value: { state: 'refused', reason: expect.stringMatching(/missing\. .*`approve` to `gateh/) },
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
