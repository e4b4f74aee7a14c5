import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ApprovalRequestClaims,
  type DecisionClaims,
  exampleOf,
  type KeySet,
} from '@gatehouse/contracts';
import { JsonText } from '@gatehouse/contracts/json';
import { createLogger } from '@gatehouse/service';
import { replaceFile, startService } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { postCheck } from './support/policy-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
afterAll(() => rmSync(folder, { recursive: true }));

const keys = generateKeyPairSync('ed25519');
const others = generateKeyPairSync('ed25519');
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const keyFile = join(folder, 'key.pem');
writeFileSync(keyFile, pem(keys.privateKey) + pem(others.privateKey));

const ENV = {
  POLICY_SIGNING_KEY_FILE: keyFile,
  POLICY_API_TOKENS: 'planner:planner-0123456789,other:other-0123456789,nameless-0123456789',
  POLICY_METRICS_TOKEN: 'metrics-0123456789',
  POLICY_APPROVER_TOKENS: 'alice:alice-0123456789,bob:bob-0123456789',
  MAX_EVENT_LOOP_DELAY_MS: '600000',
};

/** Members of a decision, an approval or a problem. Those that an answer lacks are undefined. */
interface Answered {
  readonly decision: string;
  readonly rules: readonly { readonly outcome: string; readonly detail: string }[];
  readonly explanation: { readonly rules: readonly { readonly code: string }[] };
  readonly token: string;
  readonly approval_request: string;
  readonly approval: string;
  readonly approval_id: string;
  readonly approved_by: string;
  readonly approved_until: string;
  readonly results: readonly object[];
  readonly code: string;
  readonly detail: string;
}

async function start(env: Readonly<Record<string, string>> = ENV) {
  const logger = createLogger('policy', 'silent');
  const app = await buildApp({ config: readConfig(env), logger });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const post = async (path: string, body: unknown, token = 'planner-0123456789') => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const response = await fetch(url + path, {
      method: 'POST',
      headers,
      body: JsonText.of(body).text,
    });
    return { status: response.status, body: (await response.json()) as Answered };
  };
  return {
    url,
    post,
    check: async (check: unknown, token?: string) =>
      (await post('/policy/check', check, token)).body,
    approve: (approval_request: unknown, token = 'alice-0123456789', more: object = {}) =>
      post('/policy/approvals', { approval_request, ...more }, token),
    [Symbol.asyncDispose]: async () => app.close(),
  };
}

let service: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  service = await start();
});
afterAll(() => service[Symbol.asyncDispose]());

const ACTION = {
  ...{ method: 'POST', url: 'https://api.stripe.com/v1/refunds?a=1&b=2' },
  ...{ headers: { authorization: 'Bearer s3cr3t', 'x-tenant': 'acme' } },
  ...{ body: { amount: 25_000, charge: 'ch_1' } },
};
const LISTS = { pii: { categories: [] }, legal: { flags: [] } };
const ALLOWED = { ...LISTS, spend: { amount_minor_units: 1, currency: 'EUR' }, action: ACTION };
const ASKING = { ...ALLOWED, spend: { amount_minor_units: 25_000, currency: 'EUR' } };
const DENIED = { ...ALLOWED, spend: { amount_minor_units: 60_000, currency: 'EUR' } };

const payloadOf = <T>(jws: string): T =>
  JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString());
const keysOf = async (url: string) => {
  const set = (await (await fetch(`${url}/policy/keys`)).json()) as KeySet;
  return set.keys;
};
const headerOf = (jws: string) =>
  JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString());

/** Signs other header members or claims with a key of the service. */
function resign(jws: string, claims: object, header: object = {}, key = keys.privateKey): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ ...headerOf(jws), ...header })}.${encode({ ...payloadOf<object>(jws), ...claims })}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

async function approvalOf(check: unknown = ASKING, token?: string) {
  const { approval_request } = await service.check(check, token);
  const { body } = await service.approve(approval_request);
  return body as { approval: string; approval_id: string; approved_until: string };
}

describe('a check with an action', () => {
  it('that is allowed gets a token', async () => {
    const { decision, token, approval_request } = await service.check(ALLOWED);
    expect({ decision, approval_request }).toEqual({ decision: 'allow' });
    const known = await keysOf(service.url);
    expect(headerOf(token)).toEqual({
      ...{ alg: 'Ed25519', typ: 'gatehouse-decision+jwt', kid: known[0]?.kid },
    });
    const claims = payloadOf<DecisionClaims>(token);
    expect(claims).toEqual({
      ...{ iss: 'gatehouse-policy', aud: 'gatehouse-executor', caller: 'planner' },
      ...{ iat: expect.any(Number), exp: claims.iat + 60, jti: expect.any(String) },
      action_digest: expect.stringMatching(/^[\w-]{43}$/),
      policy_digest: expect.stringMatching(/^[\da-f]{64}$/),
    });
  });

  it('that needs approval gets a request without credentials', async () => {
    const { token, approval_request } = await service.check(ASKING);
    expect(token).toBeUndefined();
    const claims = payloadOf<ApprovalRequestClaims>(approval_request);
    expect(claims).toMatchObject({
      ...{ aud: 'gatehouse-policy', caller: 'planner', exp: claims.iat + 86_400 },
      action: { ...ACTION, headers: { authorization: null, 'x-tenant': 'acme' } },
      check: { ...LISTS, spend: ASKING.spend },
      rules: [{ rule: 'spend_limit', outcome: 'require_approval' }, {}, {}],
    });
    expect(JSON.stringify(claims)).not.toContain('s3cr3t');
  });

  it('that is denied gets neither, nor does one without an action', async () => {
    for (const check of [DENIED, { ...ALLOWED, action: undefined }, { ...ASKING, action: null }])
      expect(Object.keys(await service.check(check))).toEqual(['decision', 'rules']);
  });

  it('gets no request if it is too large', async () => {
    const withBody = async (chars: number) => {
      const action = { method: 'POST', url: 'https://a.test/', body: 'x'.repeat(chars) };
      return service.check({ ...ASKING, action });
    };
    const overhead = '{"body":"","method":"POST","url":"https://a.test/"}'.length;
    expect((await withBody(65_536 - overhead)).approval_request).toBeTypeOf('string');
    const large = await withBody(65_537 - overhead);
    expect(large.approval_request).toBeUndefined();
    expect(large.rules[0]?.detail).toMatch(/too large to be approved/);
  });

  it('is the same in a batch', async () => {
    const checks = [ALLOWED, ASKING, DENIED, { ...ALLOWED, approval: 'x' }];
    const { body } = await service.post('/policy/check/batch', { checks });
    expect(body.results.map((each: object) => Object.keys(each)[2])).toEqual([
      ...['token', 'approval_request', undefined, 'status'],
    ]);
  });

  it('keeps its digits in a batch', async () => {
    const withQuery = (digits: string) => {
      const action = `{"method":"GET","url":"https://a.test/","query":{"10":${digits},"9":2}}`;
      return JSON.stringify(ALLOWED).replace(JSON.stringify(ACTION), action);
    };
    for (const digits of ['1', '1.0', '9007199254740993']) {
      const alone = await service.check(new JsonText(withQuery(digits)));
      const checks = new JsonText(`{"checks":[${withQuery('1')},${withQuery(digits)}]}`);
      const { body } = await service.post('/policy/check/batch', checks);
      const [, { token }] = body.results as readonly [object, { token: string }];
      const digestIn = (jws: string) => payloadOf<DecisionClaims>(jws).action_digest;
      expect(digestIn(token)).toBe(digestIn(alone.token));
    }
  });
});

describe('an approval', () => {
  it('lifts what it names, once the check is sent again', async () => {
    const { approval, approval_id, approved_until } = await approvalOf();
    const check = { ...ASKING, request_id: 'again', approval };
    const { body } = await service.post('/policy/check?explain=true', check);
    expect(body.decision).toBe('allow');
    expect(body.rules[0]?.detail).toBe(
      `EUR 250.00 is above the limit of EUR 100.00 and needs approval. Approved by alice until ${approved_until}.`,
    );
    expect(body.explanation.rules[0]?.code).toBe('approved');
    expect(payloadOf(body.token)).toMatchObject({ approval_id, approved_until });
  });

  it('has one id per request, and ends when the approver says', async () => {
    const { approval_request } = await service.check(ASKING);
    const one = await service.approve(approval_request);
    const two = await service.approve(approval_request, 'bob-0123456789', { valid_for_s: 1 });
    expect(one.status).toBe(201);
    expect(two.body.approval_id).toBe(one.body.approval_id);
    expect([one.body.approved_by, two.body.approved_by]).toEqual(['alice', 'bob']);
    for (const [answer, seconds] of [
      [one, 900],
      [two, 1],
    ] as const) {
      const { iat, exp } = payloadOf<{ iat: number; exp: number }>(answer.body.approval);
      expect(exp - iat).toBe(seconds);
      expect(Date.parse(answer.body.approved_until)).toBe(exp * 1_000);
    }
    const { body } = await service.approve(approval_request, undefined, { valid_for_s: null });
    const { iat, exp } = payloadOf<{ iat: number; exp: number }>(body.approval);
    expect(exp - iat).toBe(900);
    for (const valid_for_s of [0, 86_401, 1.5])
      expect((await service.approve(approval_request, undefined, { valid_for_s })).status).toBe(
        400,
      );
  });

  it.each<[reason: string, check: object, claims?: object, token?: string]>([
    ['approval_expired', ASKING, { exp: Math.floor(Date.now() / 1_000) - 1 }],
    ['approval_other_profile', ASKING, { policy_digest: 'x' }],
    ['approval_other_check', { ...ASKING, spend: { ...ASKING.spend, amount_minor_units: 25_001 } }],
    ['approval_other_check', { ...ASKING, spend: { ...ASKING.spend, currency: 'eur' } }],
    ['approval_other_check', { ...ASKING, pii: { categories: ['other'] } }],
    ['approval_other_action', { ...ASKING, action: undefined }],
    ['approval_other_action', { ...ASKING, action: { ...ACTION, method: 'PUT' } }],
    ['approval_other_action', { ...ASKING, action: { ...ACTION, url: 'https://evil.test/' } }],
    [
      'approval_other_action',
      { ...ASKING, action: { ...ACTION, url: 'https://api.stripe.com/v1/refunds?b=2&a=1' } },
    ],
    [
      'approval_other_action',
      { ...ASKING, action: { ...ACTION, headers: { 'x-tenant': 'acme' } } },
    ],
    ['approval_other_action', { ...ASKING, action: { ...ACTION, body: { amount: 25_001 } } }],
    ['approval_other_caller', ASKING, {}, 'other-0123456789'],
    ['approval_other_caller', ASKING, {}, 'nameless-0123456789'],
  ])('changes nothing with the reason %s', async (reason, check, claims = {}, token) => {
    const { approval } = await approvalOf();
    const answer = await service.check({ ...check, approval: resign(approval, claims) }, token);
    expect(answer.decision).toBe('require_approval');
    expect(answer.token).toBeUndefined();
    expect(answer.rules[0]?.detail).toMatch(
      new RegExp(` The approval changes nothing: ${reason}$`),
    );
  });

  it.each<[name: string, change: object]>([
    ['in a scope', { connector: { scope: '\ud800' } }],
    ['in the URL', { action: { ...ACTION, url: 'https://a.test/?\ud800' } }],
    ['in a member that shapes the answer', { action: { ...ACTION, fields: '\ud800' } }],
  ])('may be for a check with an unpaired surrogate %s', async (_name, change) => {
    const check = { ...ASKING, connector: { scope: 'mcp://other' }, ...change };
    const { approval } = await approvalOf(check);
    expect((await service.check({ ...check, approval })).decision).toBe('allow');
    const other = { ...check, connector: { scope: '\udfff' }, approval };
    expect((await service.check(other)).decision).toBe('require_approval');
  });

  it('never changes a deny, and never lifts another rule', async () => {
    const { approval } = await approvalOf();
    const forDenied = resign(approval, await digestOf(DENIED));
    expect((await service.check({ ...DENIED, approval: forDenied })).decision).toBe('deny');
    const both = { ...ASKING, pii: { categories: ['health'] } };
    const forBoth = resign(approval, await digestOf(both));
    const answer = await service.check({ ...both, approval: forBoth });
    expect(answer.rules.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      ...['allow', 'require_approval', 'allow'],
    ]);
    expect(answer.token).toBeUndefined();
  });

  async function digestOf(check: object) {
    const asked = await service.check({ ...check, spend: ASKING.spend });
    const request = resign(asked.approval_request, {
      check: { ...check, action: undefined },
    });
    const { body } = await service.approve(request);
    const { check_digest } = payloadOf<{ check_digest: string }>(body.approval);
    return { check_digest };
  }

  it.each<[name: string, forge: (approval: string) => string]>([
    ['no text', () => ''],
    ['nonsense', () => 'x.y.z'],
    ['another key', (jws) => resign(jws, {}, {}, generateKeyPairSync('ed25519').privateKey)],
    [
      'a changed claim',
      (jws) => jws.replace(/\.[^.]+\./, `.${Buffer.from('{}').toString('base64url')}.`),
    ],
    ['alg none', (jws) => resign(jws, {}, { alg: 'none' }).replace(/[^.]+$/, '')],
    ['the name EdDSA', (jws) => resign(jws, {}, { alg: 'EdDSA' })],
    ['HS256', (jws) => resign(jws, {}, { alg: 'HS256' })],
    ['an unknown kid', (jws) => resign(jws, {}, { kid: 'x' })],
    ['its own key', (jws) => resign(jws, {}, { jwk: others.publicKey.export({ format: 'jwk' }) })],
    ['a jku', (jws) => resign(jws, {}, { jku: 'https://evil.test' })],
    ['an x5c', (jws) => resign(jws, {}, { x5c: [] })],
    ['crit', (jws) => resign(jws, {}, { crit: ['x'], x: 1 })],
    ['b64: false', (jws) => resign(jws, {}, { crit: ['b64'], b64: false })],
    ['the typ of a decision', (jws) => resign(jws, {}, { typ: 'gatehouse-decision+jwt' })],
    ['the typ of a request', (jws) => resign(jws, {}, { typ: 'gatehouse-approval-request+jwt' })],
    ['another audience', (jws) => resign(jws, { aud: 'gatehouse-executor' })],
    ['another issuer', (jws) => resign(jws, { iss: 'evil' })],
    ['no exp', (jws) => resign(jws, { exp: undefined })],
    ['exp as text', (jws) => resign(jws, { exp: '9999999999' })],
    ['no rules', (jws) => resign(jws, { rules: undefined })],
    ['a cut end', (jws) => jws.slice(0, -2)],
    ['a space', (jws) => ` ${jws}`],
  ])('with %s is a problem', async (_name, forge) => {
    const { approval } = await approvalOf();
    const { status, body } = await service.post('/policy/check', {
      ...ASKING,
      approval: forge(approval),
    });
    expect([status, body.code]).toEqual([400, 'ApprovalInvalid']);
  });

  it('cannot be a decision token or a request', async () => {
    const { token } = await service.check(ALLOWED);
    const { approval_request } = await service.check(ASKING);
    for (const approval of [token, approval_request])
      expect((await service.check({ ...ASKING, approval })).code).toBe('ApprovalInvalid');
    expect((await service.approve(token)).body.code).toBe('ApprovalInvalid');
    expect((await service.approve((await approvalOf()).approval)).body.code).toBe(
      'ApprovalInvalid',
    );
  });

  it('is accepted with an older key of the file', async () => {
    const { approval } = await approvalOf();
    const known = await keysOf(service.url);
    const older = resign(approval, {}, { kid: known[1]?.kid }, others.privateKey);
    expect((await service.check({ ...ASKING, approval: older })).decision).toBe('allow');
  });
});

describe('POST /policy/approvals', () => {
  it('counts approvals from 0, by approver', async () => {
    await using fresh = await start();
    const headers = { authorization: 'Bearer metrics-0123456789' };
    const text = async () => (await fetch(`${fresh.url}/metrics`, { headers })).text();
    expect(await text()).toContain('policy_approvals_total{approver="bob"} 0\n');
    await fresh.approve((await fresh.check(ASKING)).approval_request);
    expect(await text()).toContain('policy_approvals_total{approver="alice"} 1\n');
  });

  it.each<[name: string, token: string, status: number, code?: string]>([
    ['an approver', 'alice-0123456789', 201],
    ['a caller', 'planner-0123456789', 403, 'ApproverRequired'],
    ['a caller without a name', 'nameless-0123456789', 403, 'ApproverRequired'],
    ['a metrics token', 'metrics-0123456789', 403, 'ApproverRequired'],
    ['an unknown token', 'eve-0123456789', 401, 'Unauthorized'],
  ])('is open to %s as described', async (_name, token, status, code) => {
    const { approval_request } = await service.check(ASKING);
    const answer = await service.approve(approval_request, token);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it.each<[name: string, claims: object]>([
    ['that expired', { exp: Math.floor(Date.now() / 1_000) - 1 }],
    ['for an older profile', { policy_digest: 'x' }],
    ['of another issuer', { iss: 'x' }],
    ['for an executor', { aud: 'gatehouse-executor' }],
  ])('refuses a request %s', async (_name, claims) => {
    const { approval_request } = await service.check(ASKING);
    const answer = await service.approve(resign(approval_request, claims));
    expect([answer.status, answer.body.code]).toEqual([400, 'ApprovalInvalid']);
  });

  it("refuses an approver's own request", async () => {
    const { approval_request } = await service.check(ASKING);
    const answer = await service.approve(resign(approval_request, { caller: 'alice' }));
    expect([answer.status, answer.body.code]).toEqual([403, 'ApproverRequired']);
  });

  it('is the only path for an approver', async () => {
    for (const path of ['/policy/check', '/policy/check/batch', '/policy/approvals/'])
      expect((await service.post(path, {}, 'alice-0123456789')).body.code).toBe('TokenNotAllowed');
    const headers = { authorization: 'Bearer alice-0123456789' };
    for (const path of ['/metrics', '/policy/profile'])
      expect((await fetch(service.url + path, { headers })).status).toBe(403);
  });

  it.each(['GET', 'PUT', 'DELETE'])(
    'tells an approver that %s is not its method',
    async (method) => {
      const headers = { authorization: 'Bearer alice-0123456789' };
      const response = await fetch(`${service.url}/policy/approvals`, { method, headers });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
      expect(await response.json()).toMatchObject({ code: 'MethodNotAllowed' });
    },
  );

  it('gives the documented examples', async () => {
    const invalid = await service.approve('x');
    const required = await service.approve('x', 'planner-0123456789');
    expect(invalid.body.detail).toBe(exampleOf('ApprovalInvalid').detail);
    expect(required.body.detail).toBe(exampleOf('ApproverRequired').detail);
  });

  it('approves nothing in a service without keys or tokens', async () => {
    await using open = await start({ MAX_EVENT_LOOP_DELAY_MS: '600000' });
    expect((await open.approve('x')).body.code).toBe('ApproverRequired');
    expect((await open.check({ ...ASKING, approval: 'x' })).code).toBe('ApprovalInvalid');
    expect(Object.keys(await open.check(ALLOWED))).toEqual(['decision', 'rules']);
    expect(await (await fetch(`${open.url}/policy/keys`)).json()).toEqual({ keys: [] });
  });
});

it.each<[name: string, env: Record<string, string>, message: RegExp]>([
  ['without a name', { POLICY_APPROVER_TOKENS: 'alice-0123456789' }, /give each approver a name/],
  [
    'of a caller',
    { POLICY_APPROVER_TOKENS: 'alice:planner-0123456789' },
    /a name or token that is also/,
  ],
  [
    'with the name of a caller',
    { POLICY_APPROVER_TOKENS: 'planner:p2-0123456789' },
    /a name or token/,
  ],
  ['for the metrics', { POLICY_APPROVER_TOKENS: 'alice:metrics-0123456789' }, /callers or metrics/],
  [
    'that are shared',
    { POLICY_APPROVER_TOKENS: 'a:x-0123456789,b:x-0123456789' },
    /different token/,
  ],
  ['with one name twice', { POLICY_APPROVER_TOKENS: 'a:x-0123456789,a:y-0123456789' }, /one name/],
])('approver tokens %s prevent startup', (_name, env, message) => {
  expect(() => readConfig({ ...ENV, ...env })).toThrow(message);
});

it('approver tokens in the file of metrics tokens prevent startup', () => {
  const path = join(folder, 'metrics');
  writeFileSync(path, 'alice-0123456789');
  expect(() => readConfig({ ...ENV, POLICY_METRICS_TOKEN_FILE: path })).toThrow(
    /POLICY_APPROVER_TOKENS.*callers or metrics/,
  );
});

it.each([
  ['callers with the token', 'POLICY_API_TOKENS_FILE', 'planner:alice-0123456789'],
  ['callers with the name', 'POLICY_API_TOKENS_FILE', 'alice:another-0123456789'],
  ['metrics with the token', 'POLICY_METRICS_TOKEN_FILE', 'alice-0123456789'],
])('a changed file of %s of an approver is refused', async (_name, setting, content) => {
  const path = join(folder, 'tokens');
  replaceFile(path, 'first-0123456789');
  await using policy = await startService('policy', { ...ENV, [setting]: path });
  replaceFile(path, content);
  const changed = () => policy.lines().find(({ msg }) => String(msg).includes('changed'));
  await expect.poll(changed, { timeout: 10_000 }).toMatchObject({
    level: 'error',
    reason: `${setting} is refused: POLICY_APPROVER_TOKENS must not contain a name or token that is also in a setting for callers or metrics`,
  });
  const statusFor = async (token: string) =>
    (await postCheck(policy.url, '{}', { authorization: `Bearer ${token}` })).status;
  expect(await statusFor('alice-0123456789')).toBe(403);
  expect(await statusFor('planner-0123456789')).toBe(200);
});

it('approvers need a signing key', () => {
  const { POLICY_SIGNING_KEY_FILE: _, ...env } = ENV;
  expect(() => readConfig(env)).toThrow(/POLICY_APPROVER_TOKENS.*needs POLICY_SIGNING_KEY_FILE/);
});

it.each<[name: string, content: string]>([
  ['an empty file', ''],
  ['text', 'x'],
  ['a public key', keys.publicKey.export({ type: 'spki', format: 'pem' }).toString()],
  ['an RSA key', pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)],
  ['a broken key', pem(keys.privateKey).replace(/[A-Z]{4}/, 'AAAA')],
  ['a key and more', `${pem(keys.privateKey)}x`],
])('a signing key file with %s prevents startup', (_name, content) => {
  const path = join(folder, 'bad.pem');
  writeFileSync(path, content);
  const read = () => readConfig({ POLICY_SIGNING_KEY_FILE: path });
  expect(read).toThrow(/POLICY_SIGNING_KEY_FILE=.*must contain only/);
});
