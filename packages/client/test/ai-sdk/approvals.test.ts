import { createGate } from '@gatehouse/client';
import { expect, it } from 'vitest';
import { gatehouseTool, httpRequest } from '../../src/ai-sdk/index.ts';
import { engine } from './support/world.ts';

it('above 10,000 calls that wait for approval, the oldest is forgotten', async () => {
  const outcome = { outcome: 'success' as const, status: 200, headers: {}, body: null };
  const executor = { execute: async () => ({ ...outcome, attempts: 1, history: [] }) };
  const gate = createGate({ policy: engine(), executor });
  const { tool, approval } = gatehouseTool({ gate, ...httpRequest() });
  const input = { method: 'GET', url: 'http://a.example' };
  const call = (toolCallId: number) => ({
    ...{ toolCallId: `${toolCallId}`, messages: [], toolContext: {}, runtimeContext: {} },
  });
  for (let each = 0; each <= 10_000; each++) await approval(input, call(each));
  const stateOf = async (each: number) => {
    const answer = await tool.execute?.(input, { ...call(each), context: {} });
    return answer && 'state' in answer ? answer.state : undefined;
  };
  expect(await stateOf(0)).toBe('needs_approval');
  expect(await stateOf(1)).toBe('executed');
  expect(await stateOf(10_000)).toBe('executed');
});
