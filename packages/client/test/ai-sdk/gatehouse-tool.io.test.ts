import { createGate, createPolicyClient, type GatedAction, type Policy } from '@gatehouse/client';
import { completeProfile, defaultProfile } from '@gatehouse/policy';
import { shared } from '@gatehouse/testing';
import { generateText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { gatehouseTool } from '../../src/ai-sdk/index.ts';
import {
  answered,
  CALL,
  generate,
  lastOutput,
  type Messages,
  ORDER,
  type Order,
  type OrderOptions,
  orderToolIn,
  partsOf,
  questionsIn,
  RUNS,
  START,
  settingsOf,
} from './support/loop.ts';
import { modelThatCalls } from './support/model.ts';
import { engine, startWorld } from './support/world.ts';

const STRICTER = completeProfile({
  name: 'stricter',
  spend: { limit_major_units: 20, ceiling_major_units: 300 },
});
const DENYING = completeProfile({
  name: 'denying',
  spend: { limit_major_units: 1, ceiling_major_units: 2, max_user_limit_major_units: 0 },
});

const executed = { type: 'json', value: { state: 'executed' } };
const unapproved = { type: 'json', value: { state: 'needs_approval' } };

describe('a tool in the loop of the SDK', () => {
  const world = shared(startWorld);

  const orderTool = (options: OrderOptions = {}) => orderToolIn(world(), options);

  for (const [name, run] of RUNS) {
    it(`${name}: a call after a denied one can be approved`, async () => {
      const { order } = orderTool();
      const asked = await run(order, [{ cents: 100 }, { cents: 60_000 }, { cents: 25_000 }]);
      const yes = answered(asked, true);
      expect(lastOutput(await run(order, [], yes))).toMatchObject(executed);
    });

    it(`${name}: an approval is valid only for its input`, async () => {
      const { order } = orderTool();
      const before = world().sent();
      const asked = await run(order, [{ cents: 25_000, note: { b: 1, a: 2 } }]);
      for (const [input, told] of [
        [{ cents: 25_001, note: { b: 1, a: 2 } }, unapproved],
        [{ cents: 25_000, note: { b: 1, a: 3 } }, unapproved],
        [{ cents: 25_000 }, unapproved],
        [{ cents: 60_000, note: { b: 1, a: 2 } }, { type: 'execution-denied' }],
        [{ cents: 9_000, note: { b: 1, a: 2 } }, executed],
        [{ cents: '25000', note: { b: 1, a: 2 } }, { type: 'error-text' }],
        [{ note: { a: 2, b: 1 }, cents: 25_000 }, executed],
      ] as const) {
        const history = structuredClone(answered(asked, true));
        for (const part of partsOf(history)) if (part.type === 'tool-call') part.input = input;
        expect([input, lastOutput(await run(order, [], history))]).toMatchObject([input, told]);
      }
      expect(world().sent() - before).toBe(2);
    });

    it(`${name}: an exception in \`gated\` rejects the whole generation`, async () => {
      const { order } = orderTool({ price: () => expect.fail('no price') });
      await expect(run(order, [{ cents: 100 }])).rejects.toThrow('no price');
    });

    it(`${name}: a call that the executor would refuse is denied without a question`, async () => {
      const { order } = orderTool({ origin: 'http://stranger.example' });
      const told = lastOutput(await run(order, [{ cents: 25_000 }]));
      const reason = expect.stringMatching(/HostNotAllowed: .* not on the allowlist/);
      expect(told).toMatchObject({ type: 'execution-denied', reason });
    });

    it(`${name}: a person who declined a call is not asked again in the same turn`, async () => {
      const { order, policy } = orderTool();
      const before = world().sent();
      const again = (cents: number, id: number) => ({ cents, toolCallId: `again-${id}` });
      const no = answered(await run(order, [{ cents: 25_000 }]), false);
      const repeated = await run(order, [again(25_000, 1), again(25_000, 2)], no);
      const denied = { type: 'execution-denied', reason: expect.stringMatching(/just declined/) };
      expect(lastOutput(repeated)).toMatchObject(denied);
      expect(questionsIn(repeated)).toHaveLength(1);
      const other = await run(order, [again(25_000, 1), again(25_001, 2)], no);
      expect(questionsIn(other)).toHaveLength(2);
      const anew: Messages = [...repeated, { role: 'user', content: 'Do it after all.' }];
      expect(questionsIn(await run(order, [again(25_000, 3)], anew))).toHaveLength(2);
      policy.profile = STRICTER;
      expect(questionsIn(await run(order, [again(25_000, 1)], no))).toHaveLength(2);
      expect(world().sent() - before).toBe(0);
    });

    it(`${name}: a call that is declined, denied, or has a new reason is not run`, async () => {
      const { order, policy } = orderTool();
      const before = world().sent();
      const asked = await run(order, [{ cents: 25_000 }]);
      const declined = lastOutput(await run(order, [], answered(asked, false)));
      expect(declined).toMatchObject({ type: 'execution-denied' });
      policy.profile = DENYING;
      const yes = answered(asked, true);
      const denied = { type: 'execution-denied', reason: expect.stringContaining('EUR 2.00') };
      expect(lastOutput(await run(order, [], yes))).toMatchObject(denied);
      expect(lastOutput(await run(order, [{ cents: 25_000 }]))).toMatchObject(denied);
      policy.profile = STRICTER;
      expect(lastOutput(await run(order, [], yes))).toMatchObject(unapproved);
      expect(world().sent() - before).toBe(0);
      policy.profile = defaultProfile;
      expect(lastOutput(await run(order, [], yes))).toMatchObject(executed);
    });
  }

  it('a call can be approved after an automatically approved call of another tool', async () => {
    const { order } = orderTool();
    const { tools, toolApproval, ...settings } = settingsOf(order, []);
    const look = tool({ inputSchema: z.object({}), execute: () => 'seen' });
    const first = { ...CALL, toolName: 'look', toolCallId: 'call-0', input: '{}' };
    const { responseMessages } = await generateText({
      ...{ ...settings, model: modelThatCalls(first, { ...CALL, input: '{"cents":25000}' }) },
      ...{ tools: { ...tools, look }, toolApproval: { ...toolApproval, look: 'approved' } },
      messages: START,
    });
    const history = [...START, ...responseMessages];
    expect(JSON.stringify(history)).toContain('"approved":true');
    expect(lastOutput(await generate(order, [], answered(history, true)))).toMatchObject(executed);
  });

  it('an approval is valid only for the facts that the developer computed', async () => {
    let price = 25_000;
    const { order } = orderTool({ price: () => price });
    const yes = answered(await generate(order, [{ cents: 1 }]), true);
    price = 30_000;
    expect(lastOutput(await generate(order, [], yes))).toMatchObject(unapproved);
  });

  it('concurrent executions use an approval once, and processes can share a store', async () => {
    const approvals = new Set<string>();
    const [here, there, apart] = [orderTool({ approvals }), orderTool({ approvals }), orderTool()];
    const before = world().sent();
    const yes = answered(await generate(here.order, [{ cents: 25_000 }]), true);
    expect(lastOutput(await generate(apart.order, [], yes))).toMatchObject(unapproved);
    const both = [here.order, there.order].map((order) => generate(order, [], yes));
    const told = JSON.stringify((await Promise.all(both)).map(lastOutput));
    for (const state of ['executed', 'needs_approval']) expect(told).toContain(`"${state}"`);
    expect(world().sent() - before).toBe(1);
  });

  it('without its approval hook, a call that needs approval is not executed', async () => {
    const { order } = orderTool();
    const { toolApproval: _, ...settings } = settingsOf(order, [{ cents: 25_000 }]);
    const { responseMessages } = await generateText({ ...settings, messages: START });
    const reason = expect.stringMatching(
      /100\.00.* Nothing was sent.* call the tool again.* tell the user .*`toolApproval`/,
    );
    expect(lastOutput(responseMessages)).toMatchObject({ value: { reason } });
  });

  const toolThatAsks = (policy: Policy, given: unknown) =>
    gatehouseTool<Order>({
      ...{ gate: createGate({ policy, executor: world().executor }), description: '' },
      ...{ inputSchema: ORDER, gated: (_, call) => (call.toolCallId && given) as GatedAction },
    });

  it('a call without a check or an action is denied without a question', async () => {
    const denied = { type: 'execution-denied', reason: expect.stringMatching(/must be an object/) };
    for (const given of [undefined, {}, { check: {} }]) {
      const incomplete = toolThatAsks(engine(), given);
      expect(lastOutput(await generate(incomplete, [{ cents: 1 }]))).toMatchObject(denied);
    }
  });

  it('a policy that does not answer denies the question and the execution', async () => {
    await using policy = createPolicyClient({ url: 'http://127.0.0.1:1' });
    const down = toolThatAsks(policy, {
      check: {},
      action: { method: 'GET', url: world().origin },
    });
    const before = world().sent();
    const reason = expect.stringContaining('cannot be reached (ECONNREFUSED)');
    const denied = { type: 'execution-denied', reason };
    expect(lastOutput(await generate(down, [{ cents: 1 }]))).toMatchObject(denied);
    const { toolApproval: _, ...settings } = settingsOf(down, [{ cents: 1 }]);
    const { responseMessages } = await generateText({ ...settings, messages: START });
    expect(lastOutput(responseMessages)).toMatchObject({ value: { state: 'denied', reason } });
    expect(world().sent() - before).toBe(0);
  });
});
