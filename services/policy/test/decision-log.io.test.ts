import { startService } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { postCheck } from './support/policy-server.ts';

const SPEND = { amount_minor_units: 8_771, currency: 'EUR', user_limit_minor_units: 9_883 };
const CHECK = {
  request_id: 'plan-7',
  spend: SPEND,
  pii: { categories: ['health'] },
  connector: { scope: 'mcp://calendar' },
};

/**
 * Sends these checks to a service with these settings, and returns the lines that it logs for them.
 */
async function checksLogged(settings: Record<string, string>, bodies: readonly object[]) {
  await using policy = await startService('policy', settings);
  const { url } = policy;
  for (const body of bodies) {
    expect((await postCheck(url, JSON.stringify(body), { 'x-request-id': 'step-3' })).status).toBe(
      200,
    );
  }
  await policy.stop();
  return policy.lines().filter(({ msg }) => msg === 'check');
}

describe.concurrent('the log line of a check', () => {
  it('has the decision but no amount', async () => {
    const [line, ...others] = await checksLogged({}, [CHECK]);
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      level: 'info',
      service: 'policy',
      request_id: 'step-3',
      caller_request_id: 'plan-7',
      method: 'POST',
      path: '/policy/check',
      status: 200,
      duration_ms: expect.any(Number),
      decision: 'require_approval',
      profile: 'default',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      rules: {
        spend_limit: { outcome: 'allow', code: 'within_limit' },
        pii_guardrail: { outcome: 'require_approval', code: 'category_needs_approval' },
        legal_compliance: { outcome: 'require_approval', code: 'section_missing' },
        connector_scope: { outcome: 'allow', code: 'scope_allowed' },
      },
      pii: { categories: ['health'] },
      connector: { scope: 'mcp://calendar' },
    });
    expect(line).not.toHaveProperty('legal');
    const { duration_ms: _anyDigits, ...rest } = line ?? {};
    expect(JSON.stringify(rest)).not.toMatch(/8771|9883|87\.71|98\.83|EUR/);
  });

  it('has the amount with POLICY_LOG_AMOUNTS=true', async () => {
    const lines = await checksLogged({ POLICY_LOG_AMOUNTS: 'true' }, [CHECK, { spend: null }, {}]);
    expect(lines.map(({ spend }) => spend)).toEqual([SPEND, undefined, undefined]);
  });
});
