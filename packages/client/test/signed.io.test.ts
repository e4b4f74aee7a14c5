import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import {
  createExecutorClient,
  createGate,
  createPolicyClient,
  NoAnswerError,
  type RunOptions,
} from '../src/index.ts';
import { startKeyedExecutor, startSigningPolicy } from './support/signing.ts';

const CHECK = { pii: { categories: [] }, legal: { flags: [] } };
const ACTION = {
  method: 'POST',
  url: 'http://a.example/orders',
  headers: { Authorization: 'Bearer s3cret', Cookie: 'a=b', 'X-API-Key': 'k3y', 'x-note': 'n' },
  body: { product: 7 },
};
const GATED = { check: CHECK, action: ACTION };

describe('a policy that signs', () => {
  const service = shared(startSigningPolicy);
  const executorService = shared(() => startKeyedExecutor());
  const policy = shared(async () => createPolicyClient({ url: service().origin }));
  const executor = shared(async () => createExecutorClient({ url: executorService().origin }));
  const gate = () => createGate({ policy: policy(), executor: executor() });
  const checks = () =>
    service()
      .requests.filter(({ url }) => url === '/policy/check')
      .map(({ body }) => JSON.parse(body));
  const decisions = () =>
    executorService()
      .requests.filter(({ url }) => url === '/execute')
      .map(({ headers }) => headers['x-gatehouse-decision']);

  it('approves requests, and shows its keys', async () => {
    const approved = await policy().approve({ approval_request: 'request', valid_for_s: 60 });
    expect(approved).toMatchObject({ approval: 'yes', approval_id: 'a1', approved_by: 'boss' });
    expect(JSON.parse(service().requests.at(-1)?.body ?? '')).toEqual({
      ...{ approval_request: 'request', valid_for_s: 60 },
    });
    expect(await policy().keys()).toMatchObject({ keys: [{ kid: 'k' }] });
  });

  it('gets the action, without the credentials that no digest covers', async () => {
    await gate().run(GATED);
    await gate().check(GATED);
    await gate().check({ check: { ...CHECK, action: ACTION } });
    const headers = { 'x-note': 'n', Authorization: 'REDACTED', Cookie: 'REDACTED' };
    const action = { ...ACTION, headers: { ...headers, 'X-API-Key': 'REDACTED' } };
    for (const check of checks().slice(-3))
      expect(check).toEqual({ ...CHECK, action, request_id: expect.any(String) });
    await gate().run({ check: { ...CHECK, action: { ...ACTION, method: 'GET' } }, action: ACTION });
    expect(checks().at(-1).action.method).toBe('POST');
    await gate().check({ check: CHECK });
    expect(checks().at(-1)).not.toHaveProperty('action');
  });

  it('an approval that was given before lets the executor get the token', async () => {
    const before = decisions().length;
    expect(await gate().run(GATED)).toMatchObject({
      ...{ state: 'needs_approval', approvalRequest: 'request' },
    });
    expect(await gate().check(GATED, { approval: 'yes' })).toMatchObject({ state: 'allowed' });
    expect(await gate().run(GATED, { approval: 'no' })).toMatchObject({ state: 'needs_approval' });
    expect(decisions()).toHaveLength(before);
    expect(await gate().run(GATED, { approval: 'yes' })).toMatchObject({ state: 'executed' });
    expect(decisions().slice(before)).toEqual(['decision']);
    expect(executorService().requests.at(-1)?.body).toBe(JSON.stringify(ACTION));
  });

  it('`approve` may return a signed approval, and only `true` approves without one', async () => {
    const approver = policy();
    const sign: RunOptions['approve'] = async ({ approvalRequest = '' }) =>
      await approver.approve({ approval_request: approvalRequest });
    const declined = { state: 'needs_approval', declined: true };
    for (const [approve, result, sent] of [
      [sign, { state: 'executed' }, ['decision']],
      [() => true, { state: 'executed' }, [undefined]],
      [() => ({ approval: 'no' }), { state: 'needs_approval' }, []],
      [() => ({ approval: 1 }) as never, declined, []],
      [() => ({ approved: true }) as never, declined, []],
      [() => 'yes' as never, declined, []],
    ] as const) {
      const before = decisions().length;
      expect(await gate().run(GATED, { approve })).toMatchObject(result);
      expect([String(approve), decisions().slice(before)]).toEqual([String(approve), sent]);
    }
    const result = await gate().run(GATED, { approve: () => ({ approval: 'no' }) });
    expect(result).not.toHaveProperty('declined');
  });

  it('keeps the digest of an action while approvals come and go', async () => {
    const plain = await gate().check(GATED);
    const { digest } = plain as { digest?: string };
    expect(digest).toMatch(/^[\da-f]{64}$/);
    for (const given of [
      { ...GATED, check: { ...CHECK, approval: 'old' } },
      { check: { ...CHECK, action: ACTION } },
      { check: { ...CHECK, action: { ...ACTION, method: 'GET' } }, action: ACTION },
    ])
      expect(await gate().check(given)).toMatchObject({ digest });
    expect(await gate().check(GATED, { approval: 'other' })).toMatchObject({ digest });
  });

  it('refuses a malformed action as the executor would', async () => {
    const problem = {
      ...{ type: '/problems/invalid-request', title: 'Invalid', status: 400, detail: 'd' },
      ...{ code: 'InvalidRequest', request_id: 'r' },
    };
    const at = (...pointers: string[]) => ({
      ...problem,
      errors: pointers.map((pointer) => ({ pointer, message: 'is bad' })),
    });
    for (const [document, result] of [
      [
        at('/action/url', '/action/headers/x'),
        {
          ...{ state: 'refused', reason: expect.stringContaining('url') },
          problem: {
            code: 'InvalidAction',
            errors: [{ pointer: '/url' }, { pointer: '/headers/x' }],
          },
        },
      ],
      [at('/action/url', '/spend'), { state: 'denied', error: { problem: { errors: [{}, {}] } } }],
      [at('/actions'), { state: 'denied' }],
      [problem, { state: 'denied' }],
    ] as const) {
      await using strict = await startUpstream({ status: 400, body: document });
      const strictGate = createGate({
        policy: createPolicyClient({ url: strict.origin }),
        executor: executor(),
      });
      for (const call of [strictGate.run, strictGate.check])
        expect(await call(GATED)).toMatchObject({ rules: [], ...result });
    }
  });
});

it('a decision or key that no header can hold is not sent', async () => {
  await using service = await startKeyedExecutor();
  await using executor = createExecutorClient({ url: service.origin });
  for (const options of [
    { decision: 'a\nb' },
    { decision: '' },
    { idempotencyKey: 'é' },
    { idempotencyKey: 'a b' },
  ]) {
    const error = await executor.execute(ACTION, options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NoAnswerError);
    expect(error).toMatchObject({ reason: 'unsendable', maybeReceived: false });
  }
  expect(service.requests).toHaveLength(0);
});
