import { createGate } from '@gatehouse/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Approvals, gatehouseTool, httpRequest } from '../../src/ai-sdk/index.ts';
import { engine } from './support/world.ts';

const HOUR_MS = 3_600_000;
const INPUT = { method: 'GET', url: 'http://a.example' };

/** Creates a tool for which `ask` requests approval of a call, and `stateOf` executes the call. */
function toolWith(options: { approvals?: Approvals; approvalTtlMs?: number } = {}) {
  const outcome = { outcome: 'success' as const, status: 200, headers: {}, body: null };
  const executor = { execute: async () => ({ ...outcome, attempts: 1, history: [] }) };
  const gate = createGate({ policy: engine(), executor });
  const { tool, approval } = gatehouseTool({ gate, ...options, ...httpRequest() });
  const call = (id: unknown) => ({ toolCallId: `${id}`, messages: [] });
  const contexts = { toolContext: {}, runtimeContext: {} };
  return {
    ask: async (id: unknown) => void (await approval(INPUT, { ...call(id), ...contexts })),
    stateOf: async (id: unknown) => {
      const answer = await tool.execute?.(INPUT, { ...call(id), context: {} });
      return answer && 'state' in answer ? answer.state : undefined;
    },
  };
}

describe('the store of approvals', () => {
  afterEach(() => void vi.useRealTimers());

  it('forgets the oldest call above 10,000 calls that wait for approval', async () => {
    const { ask, stateOf } = toolWith();
    for (let each = 0; each <= 10_000; each++) await ask(each);
    expect(await stateOf(0)).toBe('needs_approval');
    expect(await stateOf(1)).toBe('executed');
    expect(await stateOf(10_000)).toBe('executed');
  });

  it.each([
    ['one hour', undefined, HOUR_MS],
    ['the given time', 1_000, 1_000],
  ])('forgets a call after %s', async (_name, approvalTtlMs, ms) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { ask, stateOf } = toolWith(approvalTtlMs === undefined ? {} : { approvalTtlMs });
    for (const id of ['in time', 'late']) await ask(id);
    vi.setSystemTime(Date.now() + ms - 1);
    expect(await stateOf('in time')).toBe('executed');
    vi.setSystemTime(Date.now() + 1);
    expect(await stateOf('late')).toBe('needs_approval');
    await ask('late');
    expect(await stateOf('late')).toBe('executed');
  });

  it('tells a shared store how long a call may wait', async () => {
    const ttls: number[] = [];
    const approvals = { add: (_key: string, ms: number) => ttls.push(ms), delete: () => false };
    await toolWith({ approvals: { ...approvals, has: () => false }, approvalTtlMs: 90_000 }).ask(1);
    expect(ttls).toEqual([90_000]);
  });

  it.each([0, -1, Number.NaN])('refuses a time limit of %s', (approvalTtlMs) => {
    expect(() => toolWith({ approvalTtlMs })).toThrow('`approvalTtlMs` must be above 0');
  });
});
