import http from 'node:http';
import { json } from 'node:stream/consumers';
import { startGatedUpstream, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';

import { startProcess } from './support/process.ts';

const IN_FLIGHT = 200;
/** Longer than any test. */
const LONG_MS = '600000';

/** Sends an action over a new keep-alive connection. */
function post(url: string, action: object): Promise<{ status: number | undefined; body: unknown }> {
  const agent = new http.Agent({ keepAlive: true });
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${url}/execute`,
      { method: 'POST', agent, headers },
      (response) => {
        json(response).then((body) => resolve({ status: response.statusCode, body }), reject);
      },
    );
    request.on('error', reject).end(JSON.stringify(action));
  });
}

describe('an executor that receives SIGTERM', () => {
  it(`returns the outcome of all ${IN_FLIGHT} executions in flight and exits 0`, async () => {
    await using upstream = await startGatedUpstream();
    await using service = await startProcess({ SHUTDOWN_GRACE_MS: LONG_MS });
    const running = Array.from({ length: IN_FLIGHT }, () =>
      post(service.url, { method: 'POST', url: upstream.origin }),
    );
    await expect.poll(() => upstream.held.length, { interval: 5 }).toBe(IN_FLIGHT);
    service.signal('SIGTERM');
    await expect.poll(() => fetch(service.url).catch(() => 'refused')).toBe('refused');
    upstream.open();
    for (const answer of await Promise.all(running)) {
      expect(answer).toMatchObject({
        status: 200,
        body: { outcome: 'success', status: 200, attempts: 1 },
      });
    }
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(service.lines().filter(({ msg }) => msg === 'execution')).toHaveLength(IN_FLIGHT);
    expect(upstream.requests).toHaveLength(IN_FLIGHT);
  });

  it('ends an execution that waits between two attempts immediately, without another attempt', async () => {
    await using upstream = await startUpstream({ status: 503, headers: { 'retry-after': '2' } });
    await using service = await startProcess({ SHUTDOWN_DELAY_MS: LONG_MS });
    const running = service.failure({ method: 'GET', url: upstream.origin });
    await expect.poll(() => upstream.requests.length).toBe(1);
    const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
    await expect.poll(metrics).toMatch(/^executor_http_attempts_total.* 1$/m);
    service.signal('SIGTERM');
    expect(await running).toEqual({
      outcome: 'failure',
      error: 'RetriesExhausted',
      message: expect.stringMatching(/shutting down.*attempt 2 was not started.*503/s),
      attempts: 1,
      history: [
        {
          attempt: 1,
          classification: 'status',
          status: 503,
          delay_ms: 0,
          duration_ms: expect.any(Number) as number,
        },
      ],
      last_error: expect.objectContaining({ error: 'HttpFailure', status: 503 }) as object,
      retry_after_ms: 2_000,
    });
    const late = await service.failure({ method: 'GET', url: upstream.origin });
    expect(late).toMatchObject({
      error: 'RetriesExhausted',
      attempts: 1,
      history: [{ attempt: 1, delay_ms: 0 }],
    });
    expect(upstream.requests).toHaveLength(2);
  });

  it('accepts executions during SHUTDOWN_DELAY_MS and closes their connections', async () => {
    await using upstream = await startUpstream();
    await using service = await startProcess({ SHUTDOWN_DELAY_MS: LONG_MS });
    service.signal('SIGTERM');
    const readiness = async () => (await fetch(`${service.url}/readyz`)).status;
    await expect.poll(readiness, { interval: 10 }).toBe(503);
    const response = await service.execute({ method: 'GET', url: upstream.origin });
    expect(response.headers.get('connection')).toBe('close');
    expect(await response.json()).toMatchObject({ outcome: 'success' });
  });
});
