import { readFileSync, writeFileSync } from 'node:fs';
import { createPolicyClient } from '@gatehouse/client';
import { BOSS, shared, startUpstream } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { startBound } from './support/bound.ts';
import { ERAS, HARMLESS, httpHost, startMcp, textOf } from './support/host.ts';

const bound = shared(startBound);
const unsigned = shared(() => bound().serve());
const signing = shared(() => bound().serve({ GATEHOUSE_APPROVER_TOKEN: BOSS }));

const ACCEPT = { action: 'accept', content: {} } as const;
const never = () => {
  throw new Error('asked');
};

it.each(ERAS)('%s: without a token, asks no one, and takes a signed approval', async (era) => {
  const { shop, pay, policy } = bound();
  const before = shop.requests.length;
  await using host = await httpHost(unsigned(), { era, user: never, browser: never });
  expect((await host.request(pay(100))).answer).toMatchObject({ state: 'executed' });
  const headers = { authorization: 'Bearer s3cret' };
  const result = await host.request(pay(25_000, { headers }));
  expect(result.answer).toMatchObject({ state: 'needs_approval' });
  expect(textOf(result)).toMatch(
    /has no `GATEHOUSE_APPROVER_TOKEN_FILE`\. Ask .* run `gatehouse approve APPROVAL_REQUEST`.*in `approval`/,
  );
  expect(textOf(result)).not.toContain('s3cret');
  expect(shop.requests).toHaveLength(before + 1);

  await using boss = createPolicyClient({ url: policy.url, token: BOSS });
  const { approval } = await boss.approve({
    approval_request: String(result.answer.approval_request),
  });
  const other = await host.request(pay(24_000, { headers, approval }));
  expect(other.answer).toMatchObject({
    ...{ state: 'needs_approval', reason: expect.stringContaining('approval_other_check') },
  });
  const sent = await host.request(pay(25_000, { headers, approval }));
  expect(sent.answer).toMatchObject({ state: 'executed', outcome: { body: { id: 7 } } });
  const again = await host.request(pay(25_000, { headers, approval }));
  expect(again.answer).toMatchObject({ problem: { code: 'DecisionUsed' } });
  expect(shop.requests).toHaveLength(before + 2);
  expect(shop.requests.at(-1)?.headers).toMatchObject(headers);
});

it.each(ERAS)('%s: shows the signed text in a form, and signs what is accepted', async (era) => {
  const { shop, pay } = bound();
  const before = shop.requests.length;
  const questions: string[] = [];
  let action: 'accept' | 'decline' = 'accept';
  const user = (question: string) => {
    questions.push(question);
    return { action, content: {} };
  };
  await using host = await httpHost(signing(), { era, user });
  const order = pay(30_000, { headers: { 'X-Note': 'a' }, body: { note: '\u202e' } });
  const { answer } = await host.request(order);
  expect(answer).toMatchObject({ state: 'executed' });
  expect(JSON.stringify(answer.rules)).toContain('by boss until');
  expect(shop.requests).toHaveLength(before + 1);
  expect(questions[0]?.split('\n')).toEqual([
    ...['Send this request?', '', `POST ${shop.origin}/`, 'header X-Note: a'],
    'max_bytes: 20000',
    'body: {"note":"\\u{202e}"}',
    'claimed spend: {"amount_minor_units":30000,"currency":"EUR"}',
    ...['claimed pii: {"categories":[]}', 'claimed legal: {"flags":[]}', ''],
    expect.stringMatching(/^spend_limit require_approval: EUR 300\.00/),
    ...[expect.stringMatching(/^pii_guardrail allow/), expect.stringMatching(/^legal_compliance/)],
    '',
    expect.stringMatching(/^Asked for by planner; can be approved until 2/),
  ]);
  action = 'decline';
  expect((await host.request(order)).answer).toMatchObject({ state: 'declined' });
  expect(shop.requests).toHaveLength(before + 1);
});

it('says what to do if the host cannot show the request', async () => {
  const { pay } = bound();
  const command = /Ask .* run `gatehouse approve APPROVAL_REQUEST`.*in `approval`/;
  for (const [host, order, says] of [
    [{}, pay(25_000), /this MCP host cannot show an approval request/],
    [{ user: never }, pay(25_000, { body: 'x'.repeat(4_000) }), /too long .* 4000 characters/],
  ] as const) {
    await using connected = await httpHost(signing(), host);
    const result = await connected.request(order);
    expect(result.answer).toMatchObject({ state: 'needs_approval' });
    expect(result.answer.approval_request).toMatch(/^eyJ/);
    expect(textOf(result)).toMatch(new RegExp(`${says.source}.*${command.source}`));
  }
});

it('opens no page on loopback if its users may be on other machines', async () => {
  const { serve, pay } = bound();
  const token = 'mcp-token-0123456789';
  const env = { GATEHOUSE_APPROVER_TOKEN: BOSS, GATEHOUSE_MCP_TOKEN: token };
  await using mcp = await serve(env, ['--http', '0.0.0.0:0']);
  const url = mcp.url.replace('0.0.0.0', '127.0.0.1');
  await using host = await httpHost({ url }, { token, browser: never });
  const result = await host.request(pay(25_000));
  expect(textOf(result)).toMatch(/cannot show an approval request.*run `gatehouse approve/);
  await using both = await httpHost({ url }, { token, browser: never, user: () => ACCEPT });
  expect((await both.request(pay(25_000))).answer).toMatchObject({ state: 'executed' });
});

it('signs only what the user saw, even if the profile changes meanwhile', async () => {
  const { shop, pay, policy, profile } = bound();
  const before = shop.requests.length;
  const old = readFileSync(profile, 'utf8');
  const user = async () => {
    writeFileSync(profile, 'name: second\n');
    await policy.printed(/second/);
    return ACCEPT;
  };
  await using host = await httpHost(signing(), { user });
  const result = await host.request(pay(25_000));
  expect(result.answer).toMatchObject({ state: 'needs_approval' });
  expect(textOf(result)).toMatch(/approved, but .* not signed\. .*ApprovalInvalid.*profile has/s);
  expect(shop.requests).toHaveLength(before);
  writeFileSync(profile, old);
});

it('says so if the approval cannot be signed', async () => {
  const { serve, shop, pay } = bound();
  const before = shop.requests.length;
  await using wrong = await serve({ GATEHOUSE_APPROVER_TOKEN: 'wrong-token' });
  await using host = await httpHost(wrong, { user: () => ACCEPT });
  const result = await host.request(pay(25_000));
  expect(result.answer).toMatchObject({ state: 'needs_approval' });
  expect(textOf(result)).toMatch(/not signed\. .*Unauthorized.*operator must correct .* token/s);
  expect(shop.requests).toHaveLength(before);
  expect(wrong.output).not.toContain('wrong-token');
});

it('reads the token from a file', async () => {
  const { serve, pay, file } = bound();
  const token = file('token', `${BOSS}\n`);
  await using mcp = await serve({ GATEHOUSE_APPROVER_TOKEN_FILE: token });
  await using host = await httpHost(mcp, { user: () => ACCEPT });
  expect((await host.request(pay(25_000))).answer).toMatchObject({ state: 'executed' });
});

const RULES = ['spend_limit', 'pii_guardrail', 'legal_compliance'];
const UNDECIDED = {
  decision: 'require_approval',
  rules: RULES.map((rule) => ({ rule, outcome: 'require_approval', detail: 'Says so.' })),
  explanation: {
    ...{ profile: 'p', digest: 'd' },
    rules: RULES.map((rule) => ({ rule, code: 'amount_above_limit' })),
  },
};

it('checks an action without its credentials, and shows no request to sign', async () => {
  await using policy = await startUpstream({ body: { ...UNDECIDED, approval_request: 'jws' } });
  await using mcp = await startMcp({
    args: ['--policy-url', policy.origin, '--allowed-hosts', `127.0.0.1:${policy.port}`],
    env: { GATEHOUSE_APPROVER_TOKEN: BOSS },
  });
  await using host = await httpHost(mcp, { user: never });
  const headers = { authorization: 'Bearer s3cret' };
  const action = { method: 'POST', url: policy.origin, headers };
  const { pii, legal } = HARMLESS;
  const result = await host.call('check_policy', { pii, legal, action });
  expect(result.answer).toMatchObject({ decision: 'require_approval' });
  expect(JSON.stringify(result)).not.toContain('jws');
  expect(policy.requests.at(-1)?.body).toContain('"authorization":"REDACTED"');
  // A request that this server cannot read cannot be shown, so no one is asked.
  expect(textOf(await host.request({ ...action, pii, legal }))).toMatch(/asked.* cannot read/);
});

it("an unsigned answer does not count once the policy's approvals must be signed", async () => {
  const signed = { ...UNDECIDED, approval_request: 'jws' };
  await using policy = await startUpstream([{ body: UNDECIDED }, { body: signed }]);
  await using shop = await startUpstream();
  await using mcp = await startMcp({
    args: ['--policy-url', policy.origin, '--allowed-hosts', `127.0.0.1:${shop.port}`],
  });
  await using host = await httpHost(mcp, { user: () => ACCEPT });
  const { pii, legal } = HARMLESS;
  const result = await host.request({ method: 'POST', url: shop.origin, pii, legal });
  expect(result.answer).toMatchObject({ state: 'needs_approval', approval_request: 'jws' });
  expect(shop.requests).toHaveLength(0);
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
