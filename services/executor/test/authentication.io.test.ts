import { startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { readProblem, startExecutor } from './support/executor.ts';

const TOKEN = 'token-of-the-caller-0123456789';
const CALLER = { headers: { authorization: `Bearer ${TOKEN}`, 'x-request-id': 'r-1' } };
const ENV = { HTTP_EXECUTOR_API_TOKENS: TOKEN };

describe("the caller's token", () => {
  it('is never sent to an upstream, on any attempt or redirect', async () => {
    await using upstream = await startUpstream([
      { status: 503, headers: { 'retry-after': '0' } },
      { status: 302, headers: { location: '/next' } },
      { body: { done: true } },
    ]);
    await using executor = await startExecutor({ env: ENV });
    const response = await executor.execute({ method: 'GET', url: upstream.origin }, CALLER);
    expect(await response.json()).toMatchObject({ outcome: 'success', body: { done: true } });
    expect(upstream.requests).toHaveLength(3);
    for (const request of upstream.requests)
      expect(request.headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(upstream.requests)).not.toContain(TOKEN);
  });

  it('does not replace a token that the action has for the upstream', async () => {
    await using upstream = await startUpstream();
    await using executor = await startExecutor({ env: ENV });
    const headers = { authorization: 'Bearer for-the-upstream' };
    await executor.execute({ method: 'GET', url: upstream.origin, headers }, CALLER);
    expect(upstream.requests.map((request) => request.headers.authorization)).toEqual([
      'Bearer for-the-upstream',
    ]);
  });

  it('is required before anything is sent', async () => {
    await using upstream = await startUpstream();
    await using executor = await startExecutor({ env: ENV });
    const problem = await readProblem(
      await executor.execute({ method: 'POST', url: upstream.origin }),
    );
    expect(problem).toMatchObject({ status: 401, code: 'Unauthorized' });
    expect(upstream.connections).toBe(0);
  });
});
