import { startService } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startGateway } from './support/gateway.ts';
import { step } from './support/steps.ts';

const TOKENS = { policy: 'policy-token-0123456789', executor: 'executor-token-0123456789' };

it('a gateway with a token runs only plans of callers that send it', async () => {
  await using gateway = await startGateway({ GATEWAY_API_TOKEN: 'gate-token' });
  const status = async (authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    return (await gateway.post({ steps: [step('a')] }, { headers })).status;
  };
  const sent = ['Bearer gate-token', 'Bearer gate-toke', 'Bearer gate-token2', 'gate-token', ''];
  const expected = [200, 401, 401, 401, 401];
  expect(await Promise.all(sent.map(status))).toEqual(expected);
  expect(await status()).toBe(401);
  for (const path of ['/healthz', '/docs', '/openapi.json'])
    expect((await fetch(`${gateway.url}${path}`)).status).toBe(200);
});

describe('services with tokens', () => {
  it('each get their own token, and without it no step runs', async () => {
    await using policy = await startService('policy', { POLICY_API_TOKENS: TOKENS.policy });
    await using executor = await startService('executor', {
      HTTP_EXECUTOR_API_TOKENS: TOKENS.executor,
    });
    const urls = { GATEWAY_POLICY_URL: policy.url, GATEWAY_EXECUTOR_URL: executor.url };
    const url = `${policy.url}/healthz`;
    const plan = { steps: [step('look', { action: { method: 'GET', url } })] };
    const [GATEWAY_POLICY_API_TOKEN, GATEWAY_EXECUTOR_API_TOKEN] = [TOKENS.policy, TOKENS.executor];

    await using known = await startGateway({
      ...urls,
      GATEWAY_POLICY_API_TOKEN,
      GATEWAY_EXECUTOR_API_TOKEN,
    });
    expect(await known.run(plan)).toMatchObject({
      status: 'completed',
      steps: [{ state: 'executed' }],
    });

    await using tokenless = await startGateway(urls);
    expect(await tokenless.run(plan)).toMatchObject({
      status: 'failed',
      steps: [
        {
          state: 'failed',
          message: expect.stringMatching(
            /^The policy service refused the request with Unauthorized: /,
          ),
        },
      ],
    });

    await using swapped = await startGateway({
      ...urls,
      GATEWAY_POLICY_API_TOKEN,
      GATEWAY_EXECUTOR_API_TOKEN: GATEWAY_POLICY_API_TOKEN,
    });
    expect(await swapped.run(plan)).toMatchObject({
      steps: [{ state: 'refused', problem: { code: 'Unauthorized', status: 401 } }],
    });
  });
});
