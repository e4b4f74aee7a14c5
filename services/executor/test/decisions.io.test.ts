import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGatedUpstream, startUpstream } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Action,
  claims,
  encode,
  HEADER,
  hmac,
  jws,
  KEYS,
  keySet,
  OTHER_KEYS,
  publicJwk,
  RSA_KEYS,
  seconds,
} from './support/decisions.ts';
import { type LocalExecutor, readProblem, startExecutor } from './support/executor.ts';

const jwk = publicJwk(KEYS);
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
const file = join(folder, 'keys.json');
writeFileSync(file, keySet({ k1: KEYS }));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.useRealTimers());

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

const UNTIL = '2099-01-01T00:00:00Z';

/** Sends a token to an executor, and returns the code of a problem or the outcome. */
const codeOf = async (sent: Promise<Response>): Promise<string> => {
  const response = await sent;
  if (response.status !== 200) return (await readProblem(response)).code;
  return ((await response.json()) as { outcome: string }).outcome;
};
const headersOf = (token: string) => ({ headers: { 'x-gatehouse-decision': token } });

/** Stops the clock of dates, so that tests hit both sides of a second. */
const stopDate = (at = Date.parse('2026-06-01T12:00:00Z')) =>
  vi.useFakeTimers({ toFake: ['Date'], now: at });

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
    ['another key', () => jws(HEADER, payload(), OTHER_KEYS.privateKey)],
    ['no signature', () => jws(HEADER, payload()).replace(/[^.]+$/, '')],
    ['alg none', () => `${encode({ ...HEADER, alg: 'none' })}.${encode(payload())}.`],
    ['the name EdDSA', () => jws({ ...HEADER, alg: 'EdDSA' }, payload())],
    ['HS256 with the public key', () => hmac({ ...HEADER, alg: 'HS256' }, payload())],
    ['ES256', () => jws({ ...HEADER, alg: 'ES256' }, payload())],
    ['Ed448', () => jws({ ...HEADER, alg: 'Ed448' }, payload())],
    ['the name in lower case', () => jws({ ...HEADER, alg: 'ed25519' }, payload())],
    ['a list of names', () => jws({ ...HEADER, alg: ['Ed25519'] }, payload())],
    ['RS256', () => jws({ ...HEADER, alg: 'RS256' }, payload(), RSA_KEYS.privateKey)],
    ['no kid', () => jws({ ...HEADER, kid: undefined }, payload())],
    ['an unknown kid', () => jws({ ...HEADER, kid: 'k2' }, payload())],
    ['a path as kid', () => jws({ ...HEADER, kid: '../keys.json' }, payload())],
    ['a list as kid', () => jws({ ...HEADER, kid: ['k1'] }, payload())],
    ['null as header', () => jws(null, payload())],
    ['zip', () => jws({ ...HEADER, zip: 'DEF' }, payload())],
    ['a prototype as kid', () => jws({ ...HEADER, kid: '__proto__' }, payload())],
    [
      'its own key',
      () => jws({ ...HEADER, jwk: publicJwk(OTHER_KEYS) }, payload(), OTHER_KEYS.privateKey),
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
    ['a list of issuers', () => jws(HEADER, payload({ iss: ['gatehouse-policy'] }))],
    ['no audience', () => jws(HEADER, payload({ aud: undefined }))],
    ['a negative iat', () => jws(HEADER, payload({ iat: -1, exp: 60 }))],
    ['iat as text', () => jws(HEADER, payload({ iat: String(seconds()) }))],
    [
      'an exp that no double holds',
      () => jws(HEADER, JSON.stringify(payload({ exp: 1 })).replace('"exp":1', '"exp":1e400')),
    ],
    ['a past exp as text', () => jws(HEADER, payload({ exp: '1' }))],
    ['null as caller', () => jws(HEADER, payload({ caller: null }))],
    ['no policy digest', () => jws(HEADER, payload({ policy_digest: undefined }))],
    ['no exp', () => jws(HEADER, payload({ exp: undefined }))],
    ['exp as text', () => jws(HEADER, payload({ exp: String(seconds() + 60) }))],
    ['a huge exp', () => jws(HEADER, payload({ exp: 9e15 }))],
    ['no iat', () => jws(HEADER, payload({ iat: undefined }))],
    ['nbf as text', () => jws(HEADER, payload({ nbf: '1' }))],
    ['no jti', () => jws(HEADER, payload({ jti: undefined }))],
    ['a number as jti', () => jws(HEADER, payload({ jti: 1 }))],
    ['an empty jti', () => jws(HEADER, payload({ jti: '' }))],
    [
      'an empty approval id',
      () => jws(HEADER, payload({ approval_id: '', approved_until: UNTIL })),
    ],
    ['no digest', () => jws(HEADER, payload({ action_digest: undefined }))],
    ['a bad approved_until', () => jws(HEADER, payload({ approval_id: 'a', approved_until: 'x' }))],
    ['an approval without end', () => jws(HEADER, payload({ approval_id: 'a' }))],
    ['the end of no approval', () => jws(HEADER, payload({ approved_until: UNTIL }))],
    [
      'an impossible end of its approval',
      () => jws(HEADER, payload({ approval_id: 'a', approved_until: '2026-13-01T00:00:00Z' })),
    ],
    ['a repeated member', () => jws(HEADER, JSON.stringify(payload()).replace('{', '{"exp":1,'))],
    ['a list', () => jws(HEADER, [payload()])],
    ['no JSON', () => jws(HEADER, 'x')],
    ['a cut end', () => jws(HEADER, payload()).slice(0, -2)],
    ['spaces', () => jws(HEADER, payload()).replace('.', ' .')],
    ['a space in the signature', () => jws(HEADER, payload()).replace(/.{9}$/, ' $&')],
    ['padding', () => `${jws(HEADER, payload())}==`],
    ['a further part', () => `${jws(HEADER, payload())}.`],
    ['JSON serialization', () => JSON.stringify({ payload: encode(payload()), signatures: [] })],
    ['the scheme Bearer', () => `Bearer ${jws(HEADER, payload())}`],
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
    ['host', { url: 'http://localhost:1081/orders?a=1&b=2' }],
    ['body type', { body_type: 'base64', body: 'AAAA' }],
  ])('does not allow another %s', async (_name, change) => {
    const url = change.url === undefined ? action.url : new URL(change.url, action.url).href;
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

  it.each(['application/x-www-form-urlencoded', 'multipart/form-data'])(
    'allows no exponent in %s, where a number is text',
    async (type) => {
      const form = { ...action, headers: { 'content-type': type }, body: { amount: 500 } };
      const raw = (digits: string) =>
        executor.execute(undefined, {
          body: JSON.stringify(form).replace('500', digits),
          headers: { 'x-gatehouse-decision': jws(HEADER, claims(form)) },
        });
      expect((await raw('500.0')).status).toBe(200);
      const problem = await readProblem(await raw('50000e-2'));
      const message = expect.stringContaining('without an exponent');
      expect(problem).toMatchObject({
        ...{ status: 400, code: 'InvalidAction' },
        errors: [{ pointer: '/body/amount', message }],
      });
    },
  );

  it.each<[name: string, change: (now: number) => object, code: string]>([
    ['iat 30 s ahead', (now) => ({ iat: now + 30 }), 'success'],
    ['iat 31 s ahead', (now) => ({ iat: now + 31 }), 'DecisionInvalid'],
    ['iat 31 s ahead, nbf now', (now) => ({ iat: now + 31, nbf: now }), 'DecisionInvalid'],
    ['nbf 30 s ahead', (now) => ({ nbf: now + 30 }), 'success'],
    ['nbf 31 s ahead', (now) => ({ nbf: now + 31 }), 'DecisionInvalid'],
    ['exp 30 s ago', (now) => ({ iat: now - 90, exp: now - 30 }), 'success'],
    ['exp 31 s ago', (now) => ({ iat: now - 90, exp: now - 31 }), 'DecisionExpired'],
    ['exp 31 s ago, before iat', (now) => ({ iat: now, exp: now - 31 }), 'DecisionExpired'],
    ['exp in 1970', () => ({ exp: 0 }), 'DecisionExpired'],
    ['a fractional exp 31 s ago', (now) => ({ iat: now - 90, exp: now - 31.5 }), 'DecisionExpired'],
    ['fractional times', (now) => ({ iat: now - 0.5, exp: now + 59.25 }), 'success'],
    ['exp 300 s after iat', (now) => ({ exp: now + 300 }), 'success'],
    ['exp 301 s after iat', (now) => ({ exp: now + 301 }), 'DecisionInvalid'],
    ['expired after 301 s', (now) => ({ iat: now - 401, exp: now - 100 }), 'DecisionInvalid'],
    ['expired and for another caller', (now) => ({ exp: now - 31, aud: 'x' }), 'DecisionInvalid'],
    [
      'expired and for another action',
      (now) => ({ exp: now - 31, action_digest: 'x' }),
      'DecisionForAnotherAction',
    ],
    [
      'an approval that ends now',
      () => ({ approval_id: 'b1', approved_until: new Date().toISOString() }),
      'success',
    ],
    [
      'an approval that has ended',
      () => ({ approval_id: 'b2', approved_until: new Date(Date.now() - 1).toISOString() }),
      'DecisionExpired',
    ],
  ])('is judged by the clock: %s', async (_name, change, code) => {
    stopDate();
    expect(await send(jws(HEADER, payload(change(seconds()))))).toBe(code);
  });

  it('is remembered while it is accepted', async () => {
    stopDate();
    const token = jws(HEADER, payload());
    expect(await send(token)).toBe('success');
    vi.setSystemTime(Date.now() + 90_000);
    expect(await send(token)).toBe('DecisionUsed');
    vi.setSystemTime(Date.now() + 1_000);
    expect(await send(token)).toBe('DecisionExpired');
  });

  it('must come in one header', async () => {
    const token = jws(HEADER, payload());
    const req = request(`${executor.url}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gatehouse-decision': [token, token] },
    });
    req.end(JSON.stringify(action));
    const [response] = await once(req, 'response');
    expect(JSON.parse((await response.toArray()).join(''))).toMatchObject({
      code: 'DecisionInvalid',
      detail: expect.not.stringContaining(token.slice(0, 20)),
    });
    expect(await send(token)).toBe('success');
  });

  it('that has expired does not wait for a slot', async () => {
    await using gated = await startGatedUpstream();
    await using narrow = await startExecutor({
      HTTP_EXECUTOR_DECISION_KEYS: file,
      HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST: '1',
      HTTP_EXECUTOR_MAX_WAIT_MS: '0',
    });
    const get = { method: 'GET', url: `${gated.origin}/` };
    const first = narrow.execute(get, headersOf(jws(HEADER, claims(get))));
    await expect.poll(() => gated.held.length).toBe(1);
    const old = jws(HEADER, claims(get, { iat: seconds() - 90, exp: seconds() - 60 }));
    expect(await codeOf(narrow.execute(get, headersOf(old)))).toBe('DecisionExpired');
    const token = jws(HEADER, claims(get));
    expect(await codeOf(narrow.execute(get, headersOf(token)))).toBe('TooManyRequests');
    gated.open();
    expect(await codeOf(first)).toBe('success');
    expect(await codeOf(narrow.execute(get, headersOf(token)))).toBe('success');
  });

  it('is judged after the body and before the destination', async () => {
    const elsewhere = { method: 'GET', url: 'https://evil.test/' };
    const schema = { ...elsewhere, response_schema: { type: 5 } };
    expect(await send(undefined, schema)).toBe('InvalidResponseSchema');
    const half = { method: 'POST', url: elsewhere.url, body: { a: '\ud800' } };
    expect(await send('x', half)).toBe('InvalidAction');
    expect(await send('x', elsewhere)).toBe('DecisionInvalid');
    expect(await send(undefined, { ...elsewhere, headers: { host: 'x' } })).toBe('InvalidAction');
    expect(await send(undefined, elsewhere)).toBe('DecisionRequired');
    expect(await send(jws(HEADER, payload()), elsewhere)).toBe('DecisionForAnotherAction');
    expect(await send(jws(HEADER, claims(elsewhere)), elsewhere)).toBe('HostNotAllowed');
    const iat = seconds() - 200;
    const old = claims(elsewhere, { iat, exp: iat + 60 });
    expect(await send(jws(HEADER, old), elsewhere)).toBe('HostNotAllowed');
    const used = claims(action, { iat: iat + 199, exp: iat + 259 });
    expect(await send(jws(HEADER, used))).toBe('success');
    expect(await send(jws(HEADER, { ...used, iat, exp: iat + 60 }))).toBe('DecisionExpired');
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

  it('is needed for no dry run, which refuses what has no digest', async () => {
    for (const [sent, code] of [
      [action, undefined],
      [{ ...action, url: 'https://other.test/' }, 'HostNotAllowed'],
      [{ ...action, body: '\ud800' }, 'InvalidAction'],
    ] as const) {
      const answer = (await (await executor.dryRun(sent)).json()) as { code?: string };
      expect(answer.code).toBe(code);
    }
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

  it('allows no other execution if its request is approved again', async () => {
    const day = 86_400_000;
    const start = Date.now();
    stopDate(start);
    const approved = (until: number) =>
      jws(HEADER, payload({ approval_id: 'a0', approved_until: new Date(until).toISOString() }));
    expect(await send(approved(start + 1_000))).toBe('success');
    vi.setSystemTime(start + 2_000);
    expect(await send(approved(start + day))).toBe('DecisionUsed');
    vi.setSystemTime(start + 31 * day);
    expect(await send(approved(start + 31 * day))).toBe('DecisionUsed');
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

  it('loses its approval if the caller leaves after something was sent', async () => {
    await using gated = await startGatedUpstream();
    const get = { method: 'GET', url: `${gated.origin}/` };
    const approval = { approval_id: 'a4', approved_until: UNTIL };
    const leave = new AbortController();
    const left = executor.execute(get, {
      ...headersOf(jws(HEADER, claims(get, approval))),
      signal: leave.signal,
    });
    await expect.poll(() => gated.held.length).toBe(1);
    leave.abort();
    await expect(left).rejects.toThrow();
    const metrics = async () => (await fetch(`${executor.url}/metrics`)).text();
    await expect.poll(metrics).toContain('executor_executions_total{outcome="cancelled"} 1');
    expect(await codeOf(executor.execute(get, headersOf(jws(HEADER, claims(get, approval)))))).toBe(
      'DecisionUsed',
    );
    expect(await metrics()).toMatch(/executor_decisions_refused_total\{code="DecisionUsed"\} \d/);
  });

  it('is used once by all attempts of an execution', async () => {
    await using flaky = await startUpstream([{ status: 503 }, { body: {} }]);
    const get = { method: 'GET', url: `${flaky.origin}/` };
    const token = jws(HEADER, claims(get, { approval_id: 'a5', approved_until: UNTIL }));
    expect(await codeOf(executor.execute(get, headersOf(token)))).toBe('success');
    expect(flaky.requests).toHaveLength(2);
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

it('a token of another issuer is refused with a hint at the issuer', async () => {
  const sent = executor.execute(action, headersOf(jws(HEADER, payload({ iss: 'evil' }))));
  const { detail } = await readProblem(await sent);
  expect(detail).toContain('or names another issuer than this executor expects;');
});

it('a token of another caller is refused with the names of both', async () => {
  await using named = await startExecutor({
    HTTP_EXECUTOR_DECISION_KEYS: file,
    HTTP_EXECUTOR_API_TOKENS: 'planner:p-0123456789abcdef,other:o-0123456789abcdef',
  });
  const execute = async (bearer: string, caller?: string) => {
    const token = jws(HEADER, payload(caller === undefined ? {} : { caller }));
    const headers = { authorization: `Bearer ${bearer}`, 'x-gatehouse-decision': token };
    return named.execute(action, { headers });
  };
  expect((await execute('p-0123456789abcdef', 'planner')).status).toBe(200);

  const other = await readProblem(await execute('o-0123456789abcdef', 'planner'));
  expect(other.code).toBe('DecisionInvalid');
  expect(other.detail).toContain(
    'was issued to the caller `planner`, and not to the caller `other`;',
  );
  const unnamed = await readProblem(await execute('p-0123456789abcdef'));
  expect(unnamed.detail).toContain(
    'issued to a caller without a name, and not to the caller `planner`',
  );
});
