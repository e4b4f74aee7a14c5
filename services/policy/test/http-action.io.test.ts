import { fileURLToPath } from 'node:url';
import type { CheckResponse } from '@gatehouse/contracts';
import { startService } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { postCheck } from './support/policy-server.ts';

const PROFILE = fileURLToPath(
  new URL('../../../examples/profiles/refunds-by-amount.yaml', import.meta.url),
);
const refund = (amount: string, more = '') =>
  `{"action":{"method":"POST","url":"https://api.stripe.com/v1/refunds?key=s3cret","body":{"amount":${amount}}}${more}}`;

it('a profile decides about an action by its request and its amount', async () => {
  const settings = { POLICY_PROFILE_FILE: PROFILE, POLICY_LOG_AMOUNTS: 'true' };
  await using policy = await startService('policy', settings);
  const { url } = policy;

  const cases = [
    [refund('2000'), 'allow', 2000],
    [refund('2001'), 'require_approval', 2001],
    [refund('10000'), 'require_approval', 10_000],
    [refund('10001'), 'deny', 10_001],
    [refund('2000.5'), 'require_approval', undefined],
    [refund('"2000"'), 'require_approval', undefined],
    [
      refund('2001', ',"spend":{"amount_minor_units":1,"currency":"EUR"}'),
      'require_approval',
      2001,
    ],
    [
      refund('1', ',"spend":{"amount_minor_units":2001,"currency":"EUR"}'),
      'require_approval',
      2001,
    ],
  ] as const;
  for (const [body, decision, amount] of cases) {
    const response = await postCheck(url, body, {}, '/policy/check?explain=true');
    const answer = (await response.json()) as Required<CheckResponse>;
    expect([body, answer.decision]).toEqual([body, decision]);
    expect(answer.rules).toHaveLength(4);
    expect(answer.rules.at(-1)).toMatchObject({ rule: 'http_action', outcome: 'allow' });
    const stated = { ...(amount !== undefined && { amount_minor_units: amount }) };
    expect(answer.explanation.rules[0]).toMatchObject(stated);
    expect(answer.explanation.rules.at(-1)?.matched).toBe('/actions/rules/0');
  }

  // Stripe gets forms, in which a number is text.
  const form = (amount: string) =>
    refund(amount).replace(
      '"body"',
      '"query":{"tags":["a",{}]},"headers":{"content-type":"application/x-www-form-urlencoded"},"body"',
    );
  const exponent = await postCheck(url, form('200000e-2').replace(',{}', ''));
  expect(await exponent.json()).toMatchObject({
    status: 400,
    errors: [
      { pointer: '/action/body/amount', message: expect.stringContaining('without an exponent') },
    ],
  });
  const nested = await postCheck(url, form('[1,[2]]'));
  expect(await nested.json()).toMatchObject({
    status: 400,
    errors: [{ pointer: '/action/query/tags/1' }, { pointer: '/action/body/amount/1' }],
  });

  const checks = `{"checks":[${refund('2000')},${refund('10001')},{}]}`;
  const batch = await postCheck(url, checks, {}, '/policy/check/batch');
  const results = ['allow', 'deny', 'require_approval'].map((decision) => ({ decision }));
  expect(await batch.json()).toMatchObject({ results });

  await policy.stop();
  const lines = policy.lines().filter(({ msg }) => msg === 'check');
  expect(lines.map(({ spend }) => spend)).toEqual(
    cases.map(([, , amount]) => amount && { amount_minor_units: amount, currency: 'EUR' }),
  );
  expect(lines[0]).toMatchObject({
    action: { method: 'POST', host: 'api.stripe.com', path: '/v1/refunds' },
    rules: { http_action: { outcome: 'allow', code: 'action_allowed' } },
    spend: { amount_minor_units: 2000, currency: 'EUR' },
    pii: { categories: [] },
  });
  expect(JSON.stringify(policy.lines())).not.toContain('s3cret');
});
