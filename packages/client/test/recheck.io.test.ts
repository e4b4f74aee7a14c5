import { completeProfile, defaultProfile, type Profile } from '@gatehouse/policy';
import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { approvalDigest, createGate, type NeedsApproval, type Policy } from '../src/index.ts';
import { engine, startWorld } from './ai-sdk/support/world.ts';

const limitedTo = (limit_major_units: number, ceiling_major_units: number) =>
  completeProfile({
    name: 'changed',
    spend: { limit_major_units, ceiling_major_units, max_user_limit_major_units: 0 },
  });
const STRICTER = limitedTo(20, 500);
const DENYING = limitedTo(20, 50);
const LOOSER = limitedTo(400, 500);

const CHECK = {
  spend: { amount_minor_units: 25_000, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
};

describe('after a person has answered, the policy decides again', () => {
  const world = shared(startWorld);
  const order = () => ({
    check: CHECK,
    action: { method: 'POST', url: `${world().origin}/orders`, body: { product: 7 } },
  });

  /** Runs an order whose profile changes to `profiles`, one after the other, during the answers. */
  async function run(profiles: readonly Profile[], answers: readonly unknown[]) {
    const policy = engine();
    const gate = createGate({ policy, executor: world().executor });
    const asked: NeedsApproval[] = [];
    const before = world().sent();
    const result = await gate.run(order(), {
      approve: async (pending) => {
        asked.push(pending);
        policy.profile = profiles[asked.length - 1] ?? policy.profile;
        return answers[asked.length - 1] as boolean;
      },
    });
    return { result, asked, sent: world().sent() - before };
  }

  it('sends an approved action if the decision is the same, or is now allow', async () => {
    for (const profile of [defaultProfile, LOOSER]) {
      const { result, asked, sent } = await run([profile], [true]);
      expect([result.state, asked.length, sent]).toEqual(['executed', 1, 1]);
    }
  });

  it('sends nothing if the decision is now deny', async () => {
    const { result, asked, sent } = await run([DENYING], [true]);
    expect(result).toMatchObject({ state: 'denied', reason: expect.stringContaining('EUR 50.00') });
    expect([asked.length, sent]).toEqual([1, 0]);
  });

  it('sends nothing if the policy does not answer any more', async () => {
    const policy = engine();
    const gate = createGate({ policy, executor: world().executor });
    const approve = () => {
      policy.check = () => {
        throw new Error('down');
      };
      return true;
    };
    const before = world().sent();
    expect(await gate.run(order(), { approve })).toMatchObject({ state: 'denied', rules: [] });
    expect(world().sent()).toBe(before);
  });

  it('asks again if the reason has changed, and does not count the answer as a refusal', async () => {
    const approved = await run([STRICTER], [true, true]);
    expect([approved.result.state, approved.sent]).toEqual(['executed', 1]);
    expect(approved.asked.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('limit of EUR 100.00'),
      expect.stringContaining('limit of EUR 20.00'),
    ]);
    expect(approved.asked.map(({ digest }) => digest)).toEqual(
      approved.asked.map(({ reason }) => approvalDigest(order(), reason)),
    );
    const declined = await run([STRICTER], [true, false]);
    expect(declined.result).toMatchObject({
      ...{ state: 'needs_approval', declined: true },
      reason: expect.stringContaining('limit of EUR 20.00'),
    });
    expect(declined.sent).toBe(0);
  });

  it('stops asking if the reason never stays the same, without calling that a refusal', async () => {
    let checks = 0;
    const { check } = engine();
    const restless: Policy = {
      check: (request) => {
        checks += 1;
        const { decision, rules } = check(request);
        return { decision, rules: rules.map((rule) => ({ ...rule, detail: `Reason ${checks}.` })) };
      },
    };
    const gate = createGate({ policy: restless, executor: world().executor });
    let asked = 0;
    const before = world().sent();
    const result = await gate.run(order(), { approve: () => ++asked > 0 });
    expect(result).toMatchObject({ state: 'needs_approval', reason: 'spend_limit: Reason 4.' });
    expect(result).not.toHaveProperty('declined');
    expect([asked, world().sent() - before]).toEqual([3, 0]);
  });
});
