import { createGate } from '@gatehouse/client';
import { shared } from '@gatehouse/testing';
import { generateText, isStepCount } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { gatehouseTool } from '../../src/ai-sdk/index.ts';
import { answered, CALL, lastOutput, type Messages, ORDER, START } from './support/loop.ts';
import { modelThatCalls } from './support/model.ts';
import { engine, startWorld } from './support/world.ts';

const world = shared(startWorld);

/** Returns a function that lets a model order something for 50 EUR on behalf of a user. */
function orders() {
  const order = gatehouseTool({
    gate: createGate({ policy: engine(), executor: world().executor }),
    description: 'Orders.',
    inputSchema: ORDER,
    contextSchema: z.object({ user: z.string(), limit: z.number().int() }),
    gated: ({ cents }, { context: { user, limit } }) => ({
      check: {
        spend: { amount_minor_units: cents, currency: 'EUR', user_limit_minor_units: limit },
        ...{ pii: { categories: [] }, legal: { flags: [] } },
      },
      action: { method: 'POST', url: `${world().origin}/orders`, body: { cents, user } },
    }),
  });
  return async (context: object, inputs: readonly object[], messages: Messages = START) => {
    const calls = inputs.map((input) => ({ ...CALL, input: JSON.stringify(input) }));
    const { responseMessages } = await generateText({
      ...{ model: modelThatCalls(...calls), messages, stopWhen: isStepCount(3) },
      ...{ tools: { order: order.tool }, toolApproval: { order: order.approval } },
      toolsContext: { order: context as { user: string; limit: number } },
    });
    return [...messages, ...responseMessages];
  };
}

const executed = { value: { state: 'executed' } };
const FIFTY = [{ cents: 5_000 }];

it('`gated` gets the context of the tool, so limits can depend on the user', async () => {
  const order = orders();
  const before = world().sent();
  expect(lastOutput(await order({ user: 'ann', limit: 6_000 }, FIFTY))).toMatchObject(executed);
  const asked = await order({ user: 'bob', limit: 4_000 }, FIFTY);
  expect(JSON.stringify(asked)).toContain('above the limit of EUR 40.00');
  expect(world().sent() - before).toBe(1);
  const yes = answered(asked, true);
  expect(lastOutput(await order({ user: 'bob', limit: 4_000 }, [], yes))).toMatchObject(executed);
  expect(world().sent() - before).toBe(2);
});

it('an approval is valid only for the user for whom it was given', async () => {
  const order = orders();
  const before = world().sent();
  const yes = answered(await order({ user: 'bob', limit: 4_000 }, FIFTY), true);
  const told = lastOutput(await order({ user: 'eve', limit: 4_000 }, [], yes));
  expect(told).toMatchObject({ value: { state: 'needs_approval' } });
  expect(world().sent()).toBe(before);
});

it('a context that does not match its schema is an error, and nothing is sent', async () => {
  const before = world().sent();
  await expect(orders()({ user: 'bob' }, FIFTY)).rejects.toThrow(/tool context/);
  expect(world().sent()).toBe(before);
});
