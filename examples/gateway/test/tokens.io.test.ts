import { startService } from '@gatehouse/testing';
import { expect, it } from 'vitest';
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

it('services with tokens each get their own, and without it no step runs', async () => {
  await using policy = await startService('policy', { POLICY_API_TOKENS: TOKENS.policy });
  await using executor = await startService('executor', {
    HTTP_EXECUTOR_API_TOKENS: TOKENS.executor,
  });
  const urls = { GATEWAY_POLICY_URL: policy.url, GATEWAY_EXECUTOR_URL: executor.url };
  const action = { method: 'GET', url: `${policy.url}/healthz` };
  for (const [policyToken, executorToken, result] of [
    [TOKENS.policy, TOKENS.executor, { state: 'executed' }],
    [
      'another',
      TOKENS.executor,
      { state: 'failed', message: expect.stringMatching(/Unauthorized/) },
    ],
    [TOKENS.policy, TOKENS.policy, { state: 'refused', problem: { code: 'Unauthorized' } }],
  ] as const) {
    await using gateway = await startGateway({
      ...urls,
      GATEWAY_POLICY_API_TOKEN: policyToken,
      GATEWAY_EXECUTOR_API_TOKEN: executorToken,
    });
    const { steps } = await gateway.run({ steps: [step('look', { action })] });
    expect(steps).toMatchObject([result]);
  }
});
