import { createGate } from '@gatehouse/client';
import { generateText, isStepCount, type ModelMessage, streamText, ToolLoopAgent } from 'ai';
import { expect } from 'vitest';
import { z } from 'zod';
import { type Approvals, type GatehouseTool, gatehouseTool } from '../../../src/ai-sdk/index.ts';
import { modelThatCalls } from './model.ts';
import { engine, type World } from './world.ts';

export const ORDER = z.object({ cents: z.number().int(), note: z.object({}).loose().optional() });
export type Order = z.infer<typeof ORDER>;

type OrderTool = GatehouseTool<Order>;

export interface OrderOptions {
  readonly approvals?: Approvals;
  /** Returns the price in cents. Default: the price that the model states. */
  readonly price?: () => number;
  readonly origin?: string;
}

/** Creates a tool that orders from the shop, with the policy whose profile a test may replace. */
export function orderToolIn(world: World, { price, origin, ...options }: OrderOptions = {}) {
  const policy = engine();
  const order = gatehouseTool<Order>({
    ...{ gate: createGate({ policy, executor: world.executor }), ...options },
    ...{ description: 'Orders.', inputSchema: ORDER },
    gated: ({ cents, note = {} }) => ({
      check: {
        spend: { amount_minor_units: price?.() ?? cents, currency: 'EUR' },
        ...{ pii: { categories: [] }, legal: { flags: [] } },
      },
      action: {
        ...{ method: 'POST', url: `${origin ?? world.origin}/orders`, body: { cents, note } },
      },
    }),
  });
  return { policy, order };
}

export type Messages = ModelMessage[];
export const START: Messages = [{ role: 'user', content: 'Order it.' }];
export const CALL = { toolCallId: 'call-1', toolName: 'order' };

type Part = Exclude<Messages[number]['content'], string>[number];

export const partsOf = (history: Messages) =>
  history.flatMap<Part>(({ content }) => (typeof content === 'string' ? [] : content));

/** The approval requests in a history that ask a person. */
export const questionsIn = (history: Messages) =>
  partsOf(history)
    .filter((part) => part.type === 'tool-approval-request')
    .filter(({ isAutomatic }) => !isAutomatic);

/** Adds a person's answer to the history. */
export function answered(history: Messages, approved: boolean): Messages {
  const requests = questionsIn(history);
  expect(requests).toHaveLength(1);
  const type = 'tool-approval-response';
  const content = requests.map(({ approvalId }) => ({ type, approvalId, approved }) as const);
  return [...history, { role: 'tool', content }];
}

/** Output of the last tool result. */
export function lastOutput(history: Messages): unknown {
  return partsOf(history).findLast((part) => part.type === 'tool-result')?.output;
}

/**
 * Runs the tool loop with a model that makes one call for each of `inputs`. The list is empty to
 * continue after a person's answer.
 */
type Run = (order: OrderTool, inputs: object[], messages?: Messages) => Promise<Messages>;

export const generate: Run = async (order, inputs, messages = START) => {
  const { responseMessages } = await generateText({ ...settingsOf(order, inputs), messages });
  return [...messages, ...responseMessages];
};
const stream: Run = async (order, inputs, messages = START) => {
  const result = streamText({ ...settingsOf(order, inputs), messages });
  return [...messages, ...(await result.responseMessages)];
};
const agent: Run = async (order, inputs, messages = START) => {
  const loop = new ToolLoopAgent(settingsOf(order, inputs));
  return [...messages, ...(await loop.generate({ messages })).responseMessages];
};

export const RUNS = [
  ['generateText', generate],
  ['streamText', stream],
  ['ToolLoopAgent', agent],
] as const;

function callOf({ toolCallId = CALL.toolCallId, ...input }: { toolCallId?: string }) {
  return { ...CALL, toolCallId, input: JSON.stringify(input) };
}

export const settingsOf = (order: OrderTool, inputs: readonly object[]) => ({
  model: modelThatCalls(...inputs.map(callOf)),
  tools: { order: order.tool },
  toolApproval: { order: order.approval },
  stopWhen: isStepCount(5),
});
