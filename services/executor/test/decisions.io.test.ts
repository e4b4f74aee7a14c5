import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actionDigest } from '@gatehouse/contracts/action';
import { startUpstream } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalExecutor, readProblem, startExecutor } from './support/executor.ts';

const keys = generateKeyPairSync('ed25519');
const others = generateKeyPairSync('ed25519');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
const file = join(folder, 'keys.json');
const jwk = keys.publicKey.export({ format: 'jwk' });
writeFileSync(file, JSON.stringify({ keys: [{ ...jwk, kid: 'k1', alg: 'Ed25519', use: 'sig' }] }));
afterAll(() => rmSync(folder, { recursive: true }));

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

const HEADER = { alg: 'Ed25519', typ: 'gatehouse-decision+jwt', kid: 'k1' };

function jws(header: unknown, payload: unknown, key: KeyObject = keys.privateKey): string {
  const text = `${encode(header)}.${encode(payload)}`;
  const digest = key.asymmetricKeyType === 'rsa' ? 'sha256' : null;
  return `${text}.${sign(digest, Buffer.from(text), key).toString('base64url')}`;
}

const seconds = () => Math.floor(Date.now() / 1_000);

interface Action {
  readonly method: string;
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

function claims(action: Action, more: object = {}) {
  const { method, url, ...rest } = action;
  const digest = actionDigest({ method: method as 'POST', url: new URL(url), ...rest });
  const now = seconds();
  return {
    ...{ iss: 'gatehouse-policy', aud: 'gatehouse-executor', iat: now, exp: now + 60 },
    ...{ jti: crypto.randomUUID(), action_digest: digest.ok && digest.value },
    ...{ policy_digest: 'd', ...more },
  };
}

let executor: LocalExecutor;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let action: Action;
beforeAll(async () => {
  upstream = await startUpstream((_request, response) => response.end('{"ok":true}'));
  executor = await startExecutor({ HTTP_EXECUTOR_DECISION_KEYS: file });
  action = {
    ...{ method: 'POST', url: `${upstream.origin}/orders?a=1&b=2` },
    ...{ headers: { 'x-tenant': 'acme', authorization: 'Bearer one' }, body: { amount: 1, id: 7 } },
  };
});
afterAll(async () => {
  await executor[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

async function send(token: string | undefined, sent: unknown = action): Promise<string> {
  const headers = token === undefined ? {} : { 'x-gatehouse-decision': token };
  const before = upstream.requests.length;
  const response = await executor.execute(sent, { headers });
  if (response.status === 200) return ((await response.json()) as { outcome: string }).outcome;
  const { code } = await readProblem(response);
  expect(upstream.requests).toHaveLength(before);
  return code;
}

const payload = (more: object = {}) => claims(action, more);

describe('a decision token', () => {
  it('allows its action once', async () => {
    const token = jws(HEADER, payload());
    expect(await send(token)).toBe('success');
    expect(await send(token)).toBe('DecisionUsed');
  });

  it('allows only one of two executions at the same time', async () => {
    const token = jws(HEADER, payload());
    const codes = await Promise.all(
      [1, 2, 3].map(() => executor.execute(action, { headers: { 'x-gatehouse-decision': token } })),
    );
    expect(codes.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
  });

  it.each<[name: string, token: () => string | undefined]>([
    ['nothing', () => undefined],
    ['an empty text', () => ''],
  ])('is required: %s', async (_name, token) => {
    expect(await send(token())).toBe('DecisionRequired');
  });

  it.each<[name: string, token: () => string]>([
    ['another key', () => jws(HEADER, payload(), others.privateKey)],
    ['no signature', () => jws(HEADER, payload()).replace(/[^.]+$/, '')],
    ['alg none', () => `${encode({ ...HEADER, alg: 'none' })}.${encode(payload())}.`],
    ['the name EdDSA', () => jws({ ...HEADER, alg: 'EdDSA' }, payload())],
    ['RS256', () => jws({ ...HEADER, alg: 'RS256' }, payload(), rsa.privateKey)],
    ['no kid', () => jws({ ...HEADER, kid: undefined }, payload())],
    ['an unknown kid', () => jws({ ...HEADER, kid: 'k2' }, payload())],
    ['a path as kid', () => jws({ ...HEADER, kid: '../keys.json' }, payload())],
    ['a prototype as kid', () => jws({ ...HEADER, kid: '__proto__' }, payload())],
    [
      'its own key',
      () =>
        jws(
          { ...HEADER, jwk: others.publicKey.export({ format: 'jwk' }) },
          payload(),
          others.privateKey,
        ),
    ],
    ['a right key inside', () => jws({ ...HEADER, jwk }, payload())],
    ['a jku', () => jws({ ...HEADER, jku: 'https://evil.test/' }, payload())],
    ['an x5u', () => jws({ ...HEADER, x5u: 'https://evil.test/' }, payload())],
    ['an x5c', () => jws({ ...HEADER, x5c: ['a'] }, payload())],
    ['crit', () => jws({ ...HEADER, crit: ['exp'] }, payload())],
    ['b64: false', () => jws({ ...HEADER, b64: false, crit: ['b64'] }, payload())],
    ['no typ', () => jws({ ...HEADER, typ: undefined }, payload())],
    ['typ JWT', () => jws({ ...HEADER, typ: 'JWT' }, payload())],
    ['an approval', () => jws({ ...HEADER, typ: 'gatehouse-approval+jwt' }, payload())],
    ['another audience', () => jws(HEADER, payload({ aud: 'gatehouse-policy' }))],
    ['a list of audiences', () => jws(HEADER, payload({ aud: ['gatehouse-executor'] }))],
    ['another issuer', () => jws(HEADER, payload({ iss: 'evil' }))],
    ['no issuer', () => jws(HEADER, payload({ iss: undefined }))],
    ['no exp', () => jws(HEADER, payload({ exp: undefined }))],
    ['exp as text', () => jws(HEADER, payload({ exp: String(seconds() + 60) }))],
    ['a fractional exp', () => jws(HEADER, payload({ exp: seconds() + 0.5 }))],
    ['a huge exp', () => jws(HEADER, payload({ exp: 9e15 }))],
    ['exp 301 s after iat', () => jws(HEADER, payload({ exp: seconds() + 301 }))],
    ['exp before iat', () => jws(HEADER, payload({ exp: seconds() - 1 }))],
    ['no iat', () => jws(HEADER, payload({ iat: undefined }))],
    ['a future iat', () => jws(HEADER, payload({ iat: seconds() + 32, exp: seconds() + 60 }))],
    ['a future nbf', () => jws(HEADER, payload({ nbf: seconds() + 32 }))],
    ['nbf as text', () => jws(HEADER, payload({ nbf: '1' }))],
    ['no jti', () => jws(HEADER, payload({ jti: undefined }))],
    ['a number as jti', () => jws(HEADER, payload({ jti: 1 }))],
    ['no digest', () => jws(HEADER, payload({ action_digest: undefined }))],
    ['a bad approved_until', () => jws(HEADER, payload({ approval_id: 'a', approved_until: 'x' }))],
    ['a repeated member', () => jws(HEADER, JSON.stringify(payload()).replace('{', '{"exp":1,'))],
    ['a list', () => jws(HEADER, [payload()])],
    ['no JSON', () => jws(HEADER, 'x')],
    ['a cut end', () => jws(HEADER, payload()).slice(0, -2)],
    ['spaces', () => jws(HEADER, payload()).replace('.', ' .')],
    ['two tokens', () => `${jws(HEADER, payload())}, ${jws(HEADER, payload())}`],
    [
      'a changed payload',
      () => jws(HEADER, payload()).replace(/\.[^.]+\./, `.${encode(payload())}.`),
    ],
  ])('is invalid with %s', async (_name, token) => {
    expect(await send(token())).toBe('DecisionInvalid');
  });

  it.each<[name: string, change: Partial<Action>]>([
    ['method', { method: 'PUT' }],
    ['method and no body', { method: 'DELETE', body: undefined }],
    ['path', { url: '/orders/2?a=1&b=2' }],
    ['order of the query', { url: '/orders?b=2&a=1' }],
    ['further query', { url: '/orders?a=1&b=2&c=3' }],
    ['header', { headers: { 'x-tenant': 'evil', authorization: 'Bearer one' } }],
    ['missing header', { headers: { authorization: 'Bearer one' } }],
    ['missing credential', { headers: { 'x-tenant': 'acme' } }],
    ['added header', { headers: { 'x-tenant': 'acme', authorization: 'Bearer one', x: 'y' } }],
    ['body', { body: { amount: 2, id: 7 } }],
    ['text instead of a number', { body: { amount: '1', id: 7 } }],
    ['missing member', { body: { amount: 1 } }],
    ['null', { body: null }],
  ])('does not allow another %s', async (_name, change) => {
    const url = change.url === undefined ? action.url : upstream.origin + change.url;
    const other = { ...action, ...change, url };
    expect(await send(jws(HEADER, payload()), other)).toBe('DecisionForAnotherAction');
  });

  it.each<[name: string, change: object]>([
    ['another credential', { headers: { 'x-tenant': 'acme', authorization: 'Bearer two' } }],
    ['other capitals', { headers: { 'X-Tenant': 'acme', Authorization: 'Bearer one' } }],
    ['another order of members', { body: { id: 7, amount: 1 } }],
    ['a method in lower case', { method: 'post' }],
    ['members that shape the answer', { fields: 'ok', max_bytes: 100, timeout_ms: 5_000 }],
  ])('allows the same action with %s', async (_name, change) => {
    expect(await send(jws(HEADER, payload()), { ...action, ...change })).toBe('success');
  });

  it('allows the same number with other digits, but no inexact number', async () => {
    const text = JSON.stringify(action);
    const raw = (body: string) =>
      executor.execute(undefined, {
        body,
        headers: { 'x-gatehouse-decision': jws(HEADER, payload()) },
      });
    expect((await raw(text.replace('"amount":1,', '"amount":1.0,'))).status).toBe(200);
    for (const digits of ['-0', '333333333.33333329', '1e400']) {
      const problem = await readProblem(
        await raw(text.replace('"amount":1,', `"amount":${digits},`)),
      );
      expect(problem).toMatchObject({
        code: 'InvalidAction',
        errors: [{ pointer: '/body/amount' }],
      });
    }
  });

  it.each([
    ['just expired', -90, 'success'],
    ['expired', -92, 'DecisionExpired'],
  ])('has 30 s of tolerance: %s', async (_name, age, result) => {
    const iat = seconds() + age;
    expect(await send(jws(HEADER, payload({ iat, exp: iat + 61 })))).toBe(result);
  });

  it('is judged after the body and before the destination', async () => {
    const elsewhere = { method: 'GET', url: 'https://evil.test/' };
    expect(await send(undefined, { ...elsewhere, headers: { host: 'x' } })).toBe('InvalidAction');
    expect(await send(undefined, elsewhere)).toBe('DecisionRequired');
    expect(await send(jws(HEADER, payload()), elsewhere)).toBe('DecisionForAnotherAction');
    expect(await send(jws(HEADER, claims(elsewhere)), elsewhere)).toBe('HostNotAllowed');
    const iat = seconds() - 200;
    const old = claims(elsewhere, { iat, exp: iat + 60 });
    expect(await send(jws(HEADER, old), elsewhere)).toBe('HostNotAllowed');
  });

  it('is not used up by a refusal or a dry run', async () => {
    const token = jws(HEADER, payload());
    const headers = { 'x-gatehouse-decision': token };
    expect(await send(token, { ...action, response_schema: { type: 5 } })).toBe(
      'InvalidResponseSchema',
    );
    expect((await executor.dryRun(action)).status).toBe(200);
    expect((await executor.execute(action, { headers })).status).toBe(200);
  });

  it('with an approval allows one execution in all', async () => {
    const approval = {
      approval_id: 'a1',
      approved_until: new Date(Date.now() + 60_000).toISOString(),
    };
    expect(await send(jws(HEADER, payload(approval)))).toBe('success');
    expect(await send(jws(HEADER, payload(approval)))).toBe('DecisionUsed');
    expect(await send(jws(HEADER, payload({ ...approval, approval_id: 'a2' })))).toBe('success');
  });

  it('keeps the approval if nothing was sent', async () => {
    const closed = { ...action, url: 'http://127.0.0.1:1081/' };
    const approval = {
      approval_id: 'a3',
      approved_until: new Date(Date.now() + 60_000).toISOString(),
    };
    for (const _ of [1, 2])
      expect(await send(jws(HEADER, claims(closed, approval)), closed)).toBe('failure');
  });
});

it('redirects are not followed', async () => {
  await using moved = await startUpstream((_request, response) =>
    response.writeHead(303, { location: '/elsewhere' }).end(),
  );
  const get = { method: 'GET', url: `${moved.origin}/` };
  const headers = { 'x-gatehouse-decision': jws(HEADER, claims(get)) };
  const outcome = await (await executor.execute(get, { headers })).json();
  expect(outcome).toMatchObject({ error: 'HttpFailure', status: 303 });
  expect(moved.requests).toHaveLength(1);
});

it('a token of another caller is invalid', async () => {
  await using named = await startExecutor({
    HTTP_EXECUTOR_DECISION_KEYS: file,
    HTTP_EXECUTOR_API_TOKENS: 'planner:p-0123456789abcdef,other:o-0123456789abcdef',
  });
  const execute = async (bearer: string, caller?: string) => {
    const token = jws(HEADER, payload(caller === undefined ? {} : { caller }));
    const headers = { authorization: `Bearer ${bearer}`, 'x-gatehouse-decision': token };
    return (await named.execute(action, { headers })).status;
  };
  expect(await execute('p-0123456789abcdef', 'planner')).toBe(200);
  expect(await execute('o-0123456789abcdef', 'planner')).toBe(403);
  expect(await execute('p-0123456789abcdef')).toBe(403);
});
