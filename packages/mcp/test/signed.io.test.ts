import { type Reply, reply, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { ERAS, httpHost, startMcp, textOf } from './support/host.ts';

const SECTIONS = { pii: { categories: [] }, legal: { flags: [] } };
const RULES = ['spend_limit', 'pii_guardrail', 'legal_compliance'];

const decided = (outcome: string) => ({
  decision: outcome,
  rules: RULES.map((rule) => ({ rule, outcome, detail: 'Says so.' })),
  explanation: {
    ...{ profile: 'p', digest: 'd' },
    rules: RULES.map((rule) => ({ rule, code: 'amount_above_limit' })),
  },
});
const UNAUTHORIZED = {
  ...{ type: '/problems/unauthorized', title: 'Unauthorized', status: 401, detail: 'No token.' },
  ...{ code: 'Unauthorized', request_id: 'r' },
};
const SUCCESS = {
  ...{ outcome: 'success', status: 200, headers: {}, body: null, attempts: 1, history: [] },
};

describe('with a policy service that signs', () => {
  const policy = shared(() =>
    startUpstream(({ url, headers, body }, response) => {
      const isApprover = headers.authorization === 'Bearer boss-token';
      const answer: Reply = url.startsWith('/policy/approvals')
        ? isApprover
          ? {
              status: 201,
              body: {
                ...{ approval: 'yes', approval_id: 'a', approved_by: 'boss' },
                approved_until: '2026-01-01T00:00:00Z',
              },
            }
          : { status: 401, body: UNAUTHORIZED }
        : JSON.parse(body).approval === 'yes'
          ? { body: { ...decided('allow'), token: 'decision' } }
          : { body: { ...decided('require_approval'), approval_request: 'request' } };
      reply(response, answer);
    }),
  );
  const executor = shared(() =>
    startUpstream(({ method, url }, response) => {
      const dryRun = {
        ...{ outcome: 'dry_run', would_send: true, method: 'POST', host: 'a.example' },
        ...{ addresses: [], max_attempts: 1, message: '' },
      };
      const isDryRun = url.endsWith('dry_run=true');
      reply(response, method === 'GET' ? { status: 404 } : { body: isDryRun ? dryRun : SUCCESS });
    }),
  );
  const serve = (env: Record<string, string> = {}) =>
    startMcp({
      args: ['--policy-url', policy().origin, '--executor-url', executor().origin],
      env: { GATEHOUSE_POLICY_TOKEN: 'planner-token', ...env },
    });
  const unsigned = shared(() => serve());
  const signing = shared(() => serve({ GATEHOUSE_APPROVER_TOKEN: 'boss-token' }));
  const wrong = shared(() => serve({ GATEHOUSE_APPROVER_TOKEN: 'wrong-token' }));
  const post = {
    ...{ method: 'POST', url: 'http://a.example/', headers: { authorization: 'Bearer s3cret' } },
    ...SECTIONS,
  };
  const decisions = () =>
    executor()
      .requests.filter(({ url }) => url === '/execute')
      .map(({ headers }) => headers['x-gatehouse-decision']);
  const never = () => {
    throw new Error('asked');
  };

  it.each(ERAS)('%s: asks for a signature, and continues with one', async (era) => {
    await using host = await httpHost(unsigned(), { era, user: never });
    const before = decisions().length;
    const result = await host.request(post);
    expect(result.answer).toMatchObject({ state: 'needs_approval', approval_request: 'request' });
    expect(textOf(result)).toMatch(
      /run `gatehouse approve APPROVAL_REQUEST`.*same arguments.*in `approval`/s,
    );
    const other = await host.request({ ...post, approval: 'no' });
    expect(other.answer).toMatchObject({ state: 'needs_approval' });
    expect(decisions()).toHaveLength(before);

    const sent = await host.request({ ...post, approval: 'yes' });
    expect(sent.answer).toMatchObject({ state: 'executed' });
    expect(decisions().slice(before)).toEqual(['decision']);
    const check = JSON.parse(policy().requests.at(-1)?.body ?? '');
    expect(check).toMatchObject({
      ...{ approval: 'yes', action: { method: 'POST', headers: { authorization: 'REDACTED' } } },
    });
    expect(executor().requests.at(-1)?.body).toContain('Bearer s3cret');
    expect(executor().requests.at(-1)?.body).not.toContain('"approval"');
  });

  it.each(ERAS)("%s: signs what the user approves, with the operator's token", async (era) => {
    let action: 'accept' | 'decline' = 'accept';
    await using host = await httpHost(signing(), { era, user: () => ({ action, content: {} }) });
    const before = decisions().length;
    expect((await host.request(post)).answer).toMatchObject({ state: 'executed' });
    expect(decisions().slice(before)).toEqual(['decision']);
    action = 'decline';
    expect((await host.request(post)).answer).toMatchObject({ state: 'declined' });
    expect(decisions()).toHaveLength(before + 1);
    expect(JSON.parse(policy().requests.at(-1)?.body ?? '')).toHaveProperty(
      'action.method',
      'POST',
    );
    const signed = policy().requests.filter(({ url }) => url === '/policy/approvals');
    expect(signed.at(-1)?.body).toBe('{"approval_request":"request"}');
  });

  it('checks an action without its credentials, and shows no token', async () => {
    await using host = await httpHost(unsigned());
    const { pii, legal, ...action } = post;
    const result = await host.call('check_policy', { pii, legal, action });
    expect(result.answer).toMatchObject({ decision: 'require_approval' });
    expect(JSON.stringify(result)).not.toContain('"request"');
    expect(policy().requests.at(-1)?.body).toContain('"authorization":"REDACTED"');
  });

  it('says so if the approval cannot be signed', async () => {
    const user = () => ({ action: 'accept', content: {} }) as const;
    await using host = await httpHost(wrong(), { user });
    const before = decisions().length;
    const result = await host.request(post);
    expect(result.answer).toMatchObject({ state: 'needs_approval' });
    expect(textOf(result)).toMatch(
      /not signed\. .*Unauthorized.*correct `GATEHOUSE_APPROVER_TOKEN`/s,
    );
    expect(decisions()).toHaveLength(before);
    expect(wrong().output).not.toContain('wrong-token');
  });

  it('only a policy service takes an approval', async () => {
    await using local = await startMcp();
    for (const [server, takes] of [
      [local, false],
      [unsigned(), true],
    ] as const) {
      await using host = await httpHost(server);
      const { tools } = await host.client.listTools();
      const { properties = {} } =
        tools.find(({ name }) => name === 'http_request')?.inputSchema ?? {};
      expect('approval' in properties).toBe(takes);
    }
  });
});

it('an unknown outcome says that the action may have been carried out', async () => {
  const failure = { outcome: 'failure', error: 'OutcomeUnknown', message: 'Nobody knows.' };
  await using executor = await startUpstream({ body: { ...failure, attempts: 1, history: [] } });
  await using mcp = await startMcp({ args: ['--executor-url', executor.origin] });
  await using host = await httpHost(mcp);
  const spend = { amount_minor_units: 0, currency: 'EUR' };
  const action = { method: 'GET', url: 'http://a.example/' };
  const result = await host.request({ ...action, spend, ...SECTIONS });
  expect(result.answer).toMatchObject({ state: 'executed', maybe_sent: true });
  expect(textOf(result)).toMatch(/OutcomeUnknown: Nobody knows\. The action may have been carried/);
});
