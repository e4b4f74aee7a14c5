import { problemDocument } from '@gatehouse/contracts';
import { type Received, shared, startService } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import type { PlanResult } from '../src/plan.ts';
import { startExecutor } from './support/executor.ts';
import { startGateway } from './support/gateway.ts';
import { ALONE, awaiting, denied, SUCCESS, step } from './support/steps.ts';

const REFUSAL = problemDocument('HostNotAllowed', { detail: 'Not allowed.', requestId: 'r' });

const policy = shared(() => startService('policy'));

const pathsOf = (received: readonly Received[]) =>
  received.map(({ body }) => new URL(JSON.parse(body).url).pathname.slice(1));
const statesOf = ({ steps }: PlanResult) => steps.map(({ id, state }) => `${id} ${state}`);

describe.each(['in-process', 'over HTTP'])('with the policy %s', (mode) => {
  const settings = (executor: { origin: string }) => ({
    GATEWAY_EXECUTOR_URL: executor.origin,
    ...(mode === 'over HTTP' ? { GATEWAY_POLICY_URL: policy().url } : {}),
  });

  it('runs allowed steps in order and returns their outcomes unchanged', async () => {
    const outcome = {
      ...SUCCESS,
      body: { nested: [{ big: 1e21, text: 'é', nothing: null }] },
      redactions: 2,
    };
    await using executor = await startExecutor([{ body: outcome }]);
    await using gateway = await startGateway(settings(executor));
    const result = await gateway.run({
      plan_id: 'p1',
      steps: [step('a', { title: 'First' }), step('b')],
    });
    expect(result).toMatchObject({ plan_id: 'p1', status: 'completed', awaiting_approval: [] });
    expect(result.steps[0]).toMatchObject({
      id: 'a',
      title: 'First',
      state: 'executed',
      decision: 'allow',
      outcome,
    });
    expect(result.steps[1]).not.toHaveProperty('title');
    expect(executor.requests.map(({ url }) => url)).toEqual(['/execute', '/execute']);
    expect(executor.requests.map(({ body }) => JSON.parse(body))).toEqual(
      ['a', 'b'].map((id) => step(id).action),
    );
  });

  it('sends no denied, waiting or later step to the executor', async () => {
    await using executor = await startExecutor();
    await using gateway = await startGateway(settings(executor));
    const result = await gateway.run({
      steps: [awaiting('a'), step('b', ALONE), denied('c'), step('d'), awaiting('e')],
    });
    expect(statesOf(result)).toEqual([
      'a awaiting_approval',
      'b executed',
      'c denied',
      'd not_reached',
      'e not_reached',
    ]);
    expect(result).toMatchObject({ status: 'denied', awaiting_approval: ['a'] });
    expect(result.steps[2]?.rules).toContainEqual(
      expect.objectContaining({ rule: 'pii_guardrail', outcome: 'deny' }),
    );
    expect(result.steps[3]).toMatchObject({ decision: null, rules: [], duration_ms: 0 });
    expect(pathsOf(executor.requests)).toEqual(['b']);
  });

  it('returns a refusal, and continues with the steps that do not depend on it', async () => {
    await using executor = await startExecutor([{ status: 403, body: REFUSAL }, { body: SUCCESS }]);
    await using gateway = await startGateway(settings(executor));
    const result = await gateway.run({ steps: [step('a'), step('b'), step('c', ALONE)] });
    expect(statesOf(result)).toEqual(['a refused', 'b not_reached', 'c executed']);
    expect(result.status).toBe('failed');
    expect(result.steps[0]).toMatchObject({ decision: 'allow', problem: REFUSAL });
  });
});

const COSTS = { amount_minor_units: 1, currency: 'EUR' };
/** A model that could set this limit would need no approval for EUR 250. */
const LIMITED = { ...COSTS, amount_minor_units: 25_000, user_limit_minor_units: 50_000 };

it.each([
  ['an unknown member', [step('a', { pii_categories: [] })], '/steps/0/pii_categories'],
  ['an unknown fact', [step('a', { spend: { ...COSTS, limit: 1 } })], '/steps/0/spend/limit'],
  ['no steps', [], '/steps'],
  // These steps are not validated, because validating thousands of them would delay other callers.
  ['too many steps', new Array(101).fill({}), '/steps'],
  ['ids that repeat', [step('a'), step('b'), step('a')], '/steps/2/id'],
  ['a limit', [step('a', { spend: LIMITED })], '/steps/0/spend/user_limit_minor_units'],
  [
    'a need for a later step',
    [step('a', { depends_on: ['b'] }), step('b')],
    '/steps/0/depends_on/0',
  ],
  ['a need for itself', [step('a', { depends_on: ['a'] })], '/steps/0/depends_on/0'],
  [
    'a currency that does not exist',
    [step('a'), step('b', { spend: { ...COSTS, currency: 'XYZ' } })],
    '/steps/1/spend/currency',
  ],
])('refuses a plan with %s and runs nothing', async (_name, steps, pointer) => {
  await using executor = await startExecutor();
  await using gateway = await startGateway({ GATEWAY_EXECUTOR_URL: executor.origin });
  const response = await gateway.post({ steps });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ status: 400, errors: [{ pointer }] });
  expect(executor.requests).toEqual([]);
});

it.each<[name: string, body: string, status: number, detail: RegExp, type?: string]>([
  ['a number that a double changes', '{"steps":[],"x":9007199254740993}', 400, /all its digits/],
  ['a repeated member', '{"steps":[],"steps":[]}', 400, /Remove the duplicate member `steps`/],
  ['another type', 'steps', 415, /Unsupported Media Type/, 'text/plain'],
  ['another charset', '{}', 415, /in UTF-8/, 'application/json; charset=utf-16'],
  ['too much', `"${'x'.repeat(1024 * 1024)}"`, 413, /too large/],
])('refuses %s with a problem, and runs nothing', async (_name, body, status, detail, type) => {
  await using gateway = await startGateway({});
  const headers = { 'x-request-id': 'r-2', 'content-type': type ?? 'application/json' };
  const response = await gateway.post(body, { headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    expect.stringMatching(/^application\/problem\+json/),
  ]);
  expect(await response.json()).toMatchObject({
    ...{ type: 'about:blank', status, request_id: 'r-2' },
    detail: expect.stringMatching(detail),
  });
});

it('cancels its call when the caller disconnects, and makes no further call', async () => {
  const cancelled = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await using executor = await startExecutor((_request, response) => {
    response.once('close', cancelled.resolve);
    arrived.resolve();
  });
  await using gateway = await startGateway({ GATEWAY_EXECUTOR_URL: executor.origin });
  const caller = new AbortController();
  const reply = gateway.post({ steps: [step('a'), step('b')] }, { signal: caller.signal });
  await arrived.promise;
  caller.abort();
  await expect(reply).rejects.toThrow('aborted');
  await cancelled.promise;
  expect(pathsOf(executor.requests)).toEqual(['a']);
});

it('passes the request id on, and logs the decisions of the policy in its own process', async () => {
  await using executor = await startExecutor();
  const lines: string[] = [];
  await using gateway = await startGateway({ GATEWAY_EXECUTOR_URL: executor.origin }, { lines });
  const headers = { 'x-request-id': 'r-7' };
  await gateway.post({ steps: [step('a', { pii: { categories: ['health'] } })] }, { headers });
  await gateway.post({ steps: [step('b')] }, { headers });
  expect(executor.requests[0]?.headers).toMatchObject(headers);
  const record = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'check');
  expect(record).toMatchObject({
    ...{ request_id: 'r-7', profile: 'default', digest: expect.stringMatching(/^[\da-f]{64}$/) },
    decision: 'require_approval',
    rules: { pii_guardrail: { code: 'category_needs_approval' } },
    pii: { categories: ['health'] },
  });
});
