import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Handler, type Reply, reply, type Script, startUpstream } from '@gatehouse/testing';
import Provider from 'oidc-provider';
import { describe, expect, it } from 'vitest';
import type { RetryEvent } from '../../src/index.ts';
import { fakeClock } from '../support/clock.ts';
import { startWithUpstream } from '../support/destinations.ts';
import { LOCAL_NAMES, type Setup } from '../support/executor.ts';

const SECRET = 'client-secret/with:odd characters+%';
const LIFETIME_S = 600;

/** Starts a real OAuth server, and counts the tokens that it issues. */
async function startProvider() {
  const provider = new Provider('http://localhost', {
    clients: [
      {
        client_id: 'erp',
        client_secret: SECRET,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    scopes: ['orders'],
    ttl: { ClientCredentials: LIFETIME_S },
  });
  let issued = 0;
  provider.on('grant.success', () => {
    issued += 1;
  });
  const server: Server = provider.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/token`,
    issued: () => issued,
    isValid: async (token: string) => (await provider.ClientCredentials.find(token)) !== undefined,
    [Symbol.asyncDispose]: async () => void (await new Promise((done) => server.close(done))),
  };
}

const fileFor = (port: number, tokenUrl: string) => `
destinations: [{ host: "127.0.0.1:${port}", credential: erp }]
credentials:
  erp:
    type: oauth2_client_credentials
    token_url: ${tokenUrl}
    client_id: erp
    client_secret_file: secret
    scopes: [orders]
`;

const ok: Handler = (_request, response) => reply(response, {});
const tokenOf = (authorization = '') => authorization.replace(/^Bearer /, '');

async function start(tokenUrl: string, handler: Script, setup: Setup = {}, more = '') {
  const filesFor = (port: number) => ({
    'destinations.yaml': fileFor(port, tokenUrl) + more,
    secret: SECRET,
  });
  const started = await startWithUpstream(handler, filesFor, setup);
  const url = `${started.upstream.origin}/orders`;
  return { ...started, action: (method = 'GET') => ({ method, url }) };
}

describe('a token of a real OAuth server', () => {
  it('is fetched once for 50 simultaneous executions, and is valid', async () => {
    await using provider = await startProvider();
    await using test = await start(provider.url, ok);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => test.executor.outcome(test.action())),
    );
    expect(outcomes.every(({ outcome }) => outcome === 'success')).toBe(true);
    expect(provider.issued()).toBe(1);
    const sent = new Set(test.upstream.requests.map(({ headers }) => headers.authorization));
    expect(sent.size).toBe(1);
    expect(await provider.isValid(tokenOf([...sent][0]))).toBe(true);
  });

  it('is renewed in the background before it expires, and not earlier', async () => {
    await using provider = await startProvider();
    const clock = fakeClock();
    await using test = await start(provider.url, ok, { clock });
    await test.executor.outcome(test.action());
    clock.pass(LIFETIME_S * 900 - 1_000);
    await test.executor.outcome(test.action());
    expect(provider.issued()).toBe(1);
    clock.pass(2_000);
    await test.executor.outcome(test.action());
    const sent = () => test.upstream.requests.map(({ headers }) => headers.authorization);
    const [first, , third] = sent();
    expect(third).toBe(first);
    const next = () => test.executor.outcome(test.action()).then(() => sent().at(-1));
    await expect.poll(next).not.toBe(first);
    expect(provider.issued()).toBe(2);
  });

  it.each([
    [
      'GET',
      { attempts: 2, history: [{ classification: 'status', status: 401, delay_ms: 0 }] },
      [{ attempt: 1, classification: 'status', status: 401, delay_ms: 0 }],
    ],
    ['POST', { error: 'HttpFailure', status: 401, attempts: 1 }, []],
  ])('is dropped if a %s finds it revoked', async (method, expected, retries) => {
    await using provider = await startProvider();
    const clock = fakeClock();
    let revoked: string | undefined;
    const handler: Handler = ({ headers }, response) =>
      reply(response, { status: headers.authorization === revoked ? 401 : 200 });
    await using test = await start(provider.url, handler, { clock });
    await test.executor.outcome(test.action());
    revoked = test.upstream.requests[0]?.headers.authorization;
    clock.pass(30_001);
    const told: RetryEvent[] = [];
    const onRetry = (event: RetryEvent) => told.push(event);
    const outcome = await test.executor.outcome(test.action(method), { onRetry });
    expect(outcome).toMatchObject(expected);
    expect(told).toMatchObject(retries);
    expect(test.upstream.requests).toHaveLength(1 + outcome.attempts);
    expect(await test.executor.outcome(test.action(method))).toMatchObject({ outcome: 'success' });
    expect(provider.issued()).toBe(2);
  });

  it('is not used after its client secret was emptied or changed', async () => {
    await using endpoint = await startUpstream({ headers: json, body: TOKEN });
    await using test = await start(`${endpoint.origin}/token`, ok);
    await test.executor.outcome(test.action());
    test.executor.write('secret', '');
    expect(await test.executor.refusal(test.action())).toMatchObject({
      code: 'CredentialUnavailable',
      message: expect.stringContaining('its secret file is empty'),
    });
    test.executor.write('secret', 'another-secret');
    await test.executor.outcome(test.action());
    const sent = endpoint.requests.map(({ headers }) =>
      Buffer.from(String(headers.authorization).slice('Basic '.length), 'base64').toString(),
    );
    expect(sent).toHaveLength(2);
    expect(sent[1]).toBe('erp:another-secret');
  });

  it('is concealed, and so is its client secret', async () => {
    await using endpoint = await startUpstream({ headers: json, body: TOKEN });
    const body = { access_token: TOKEN.access_token, client_secret: SECRET };
    await using test = await start(`${endpoint.origin}/token`, { body });
    expect(await test.executor.outcome(test.action())).toMatchObject({
      body: { access_token: 'REDACTED', client_secret: 'REDACTED' },
      redactions: 2,
    });
  });

  it('is renewed only once if the upstream always answers 401, and only after 30 s', async () => {
    await using provider = await startProvider();
    const clock = fakeClock();
    await using test = await start(provider.url, { status: 401 }, { clock });
    const refused = (attempts: number) => ({ error: 'HttpFailure', status: 401, attempts });
    for (const method of ['GET', 'POST', 'GET', 'PUT', 'GET'])
      expect(await test.executor.outcome(test.action(method))).toMatchObject(refused(1));
    clock.pass(30_000);
    expect(await test.executor.outcome(test.action())).toMatchObject(refused(1));
    expect(provider.issued()).toBe(1);
    clock.pass(1);
    expect(await test.executor.outcome(test.action())).toMatchObject(refused(2));
    expect(await test.executor.outcome(test.action())).toMatchObject(refused(1));
    expect(provider.issued()).toBe(2);
  });
});

const UNUSED = { id_token: 'not.a.jwt', refresh_token: null, scope: null };
const BEARER = { token_type: 'Bearer', expires_in: 60, ...UNUSED };
const TOKEN = { access_token: 'tok-0123456789abcdef', ...BEARER };
const WORD = 'Sk_4f9c1e7a2b8d6035';
const json = { 'content-type': 'application/json' };
/** Returns a usable answer with a byte order mark, padded to this number of bytes. */
const answerOf = (bytes: number) => `\uFEFF${JSON.stringify(TOKEN)}`.padEnd(bytes - 2);

const seconds = (count: number) => count * 1_000;

describe('a token endpoint', () => {
  const unusable = (status: number, part = 'token') =>
    `its token endpoint answered with status ${status} and no usable ${part}.`;

  it.each<[string, Reply, string]>([
    ['200 with nothing', { body: '' }, unusable(200, 'JSON')],
    ['HTML', { body: `<html>${WORD}` }, unusable(200, 'JSON')],
    ['a list', { body: [WORD] }, unusable(200, 'access_token')],
    ...[300, 307, 400, 404, 429, 500].map((status): [string, Reply, string] => [
      `${status} with the secret as its error`,
      { status, headers: { location: '/elsewhere' }, body: { ...TOKEN, error: WORD } },
      unusable(status),
    ]),
    ...Object.entries({
      token_type: ['DPoP', 'mac', 'Bearers', WORD, 1, { toString: 1 }],
      access_token: [
        ...[
          'a\r\nx-admin: 1',
          'a b',
          'a\tb',
          'a\0b',
          'caf\u00e9',
          '\u20ac',
          '',
          null,
          1,
          undefined,
        ],
      ],
    }).flatMap(([part, values]) =>
      values.map((value): [string, Reply, string] => [
        `the ${part} ${JSON.stringify(value)}`,
        { body: { ...TOKEN, [part]: value } },
        unusable(200, part),
      ]),
    ),
    ['more than 64 KiB', { body: answerOf(65_537) }, unusable(200, 'body')],
  ])('that answers with %s is asked again after 5 s', async (_name, broken, reason) => {
    const clock = fakeClock();
    let isBroken = true;
    await using endpoint = await startUpstream((_request, response) => {
      if (!isBroken) return reply(response, { headers: json, body: TOKEN });
      reply(response, { headers: json, body: TOKEN, ...broken });
    });
    await using test = await start(`${endpoint.origin}/token`, ok, { clock });
    const refused = async (retryAfterS: number) => {
      const { code, message, ...refusal } = await test.executor.refusal(test.action());
      expect(refusal.retryAfterS).toBe(retryAfterS);
      expect([code, message]).toEqual(['CredentialUnavailable', expect.stringContaining(reason)]);
      for (const secret of [SECRET, WORD]) expect(message).not.toContain(secret);
    };
    await refused(5);
    isBroken = false;
    await refused(5);
    clock.pass(4_999);
    await refused(1);
    expect([endpoint.requests.length, test.upstream.requests]).toEqual([1, []]);
    clock.pass(1);
    expect(await test.executor.outcome(test.action())).toMatchObject({ outcome: 'success' });
    expect(endpoint.requests).toHaveLength(2);
  });

  it.each<[string, Handler, string]>([
    ['breaks off', (_q, response) => response.destroy(), 'cannot be reached'],
    ['never answers', () => {}, 'did not answer within 1000 ms'],
  ])('that %s is asked again at once', async (_name, broken, reason) => {
    let isBroken = true;
    await using endpoint = await startUpstream((request, response) => {
      if (isBroken) broken(request, response);
      else reply(response, { headers: json, body: TOKEN });
    });
    await using test = await start(`${endpoint.origin}/token`, ok, { attemptTimeoutMs: 1_000 });
    const { code, message } = await test.executor.refusal(test.action());
    expect([code, message]).toEqual(['CredentialUnavailable', expect.stringContaining(reason)]);
    expect(message).toContain('Send the action again later');
    isBroken = false;
    expect(await test.executor.outcome(test.action())).toMatchObject({ outcome: 'success' });
  });

  it('that refuses gets one request for 30 executions in 5 s', async () => {
    await using endpoint = await startUpstream({ status: 401, body: { error: 'invalid_client' } });
    await using test = await start(`${endpoint.origin}/token`, ok, { clock: fakeClock() });
    for (const _ of Array.from({ length: 30 })) await test.executor.refusal(test.action());
    expect(endpoint.requests).toHaveLength(1);
    test.executor.write('secret', 'a corrected secret');
    await test.executor.refusal(test.action());
    expect(endpoint.requests).toHaveLength(2);
  });

  it.each<[retryAfter: string, expected: number]>([
    ['1', 1],
    ['30', 30],
    ['60', 60],
    ['61', 60],
    ['0', 5],
    ['-1', 5],
    ['soon', 5],
    ['Tue, 01 Jan 2030 00:00:20 GMT', 20],
    ['Tuesday, 01-Jan-30 00:00:20 GMT', 20],
    ['Tue Jan  1 00:00:20 2030', 20],
    ['Tue, 01 Jan 2030 00:02:00 GMT', 60],
    ['Mon, 31 Dec 2029 23:59:59 GMT', 5],
  ])('that refuses with `retry-after: %s` is asked again after %i s', async (text, expected) => {
    const clock = fakeClock();
    const refusal = { status: 429, headers: { 'retry-after': text } };
    await using endpoint = await startUpstream([refusal, { headers: json, body: TOKEN }]);
    await using test = await start(`${endpoint.origin}/token`, ok, { clock });
    expect(await test.executor.refusal(test.action())).toMatchObject({ retryAfterS: expected });
    clock.pass(seconds(expected) - 1);
    expect(await test.executor.refusal(test.action())).toMatchObject({ retryAfterS: 1 });
    clock.pass(1);
    expect(await test.executor.outcome(test.action())).toMatchObject({ outcome: 'success' });
  });

  const LATER = 'Send the action again later.';
  const OPERATOR = 'Ask an operator to correct it, because sending the action again will not help.';
  it.each([
    [401, 'invalid_client', 'refused the client (invalid_client)', OPERATOR],
    [400, 'invalid_scope', 'refused the client (invalid_scope)', OPERATOR],
    [403, 'access_denied', 'refused the client (access_denied)', OPERATOR],
    [400, 'invalid_target', 'refused the client (invalid_target)', OPERATOR],
    [400, 'slow_down', 'refused the client (slow_down)', LATER],
    [200, 'unauthorized_client', 'refused the client (unauthorized_client)', OPERATOR],
    [400, { toString: 1 }, 'status 400 and no usable token', OPERATOR],
    [503, 'temporarily_unavailable', 'refused the client (temporarily_unavailable)', LATER],
    [400, 'access_denied2', 'status 400 and no usable token', OPERATOR],
    [403, undefined, 'status 403 and no usable token', OPERATOR],
    [408, undefined, 'status 408 and no usable token', LATER],
    [429, undefined, 'status 429 and no usable token', LATER],
    [499, undefined, 'status 499 and no usable token', OPERATOR],
    [500, undefined, 'status 500 and no usable token', LATER],
  ])(
    'that answers %i with the error %s is reported as such',
    async (status, error, why, advice) => {
      const clock = fakeClock();
      await using endpoint = await startUpstream({ status, body: { error, detail: WORD } });
      await using test = await start(`${endpoint.origin}/token`, ok, { clock });
      for (const _ of ['asked', 'remembered']) {
        const { message } = await test.executor.refusal(test.action());
        expect(message).toContain(
          `its token endpoint ${error && why.includes('refused') ? '' : 'answered with '}${why}. ${advice}`,
        );
      }
    },
  );

  it.each<[string, Reply]>([
    ...[200, 201, 202, 299].map((status): [string, Reply] => [`the status ${status}`, { status }]),
    ...['bearer', 'BEARER', 'Bearer', 'BearerToken', 'bearertoken', '', null, undefined].map(
      (token_type): [string, Reply] => [
        `the type ${token_type}`,
        { body: { ...TOKEN, token_type } },
      ],
    ),
    ['an error of no meaning', { body: { ...TOKEN, error: '' } }],
    ['a content type of text', { headers: { 'content-type': 'text/plain' } }],
  ])('may answer with %s', async (_name, answer) => {
    await using endpoint = await startUpstream({ headers: json, body: TOKEN, ...answer });
    await using test = await start(`${endpoint.origin}/token`, ok);
    expect(await test.executor.outcome(test.action())).toMatchObject({ outcome: 'success' });
    const sent = test.upstream.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual([`Bearer ${TOKEN.access_token}`]);
  });

  it.each<[expiresIn: unknown, lifetimeS: number]>([
    ...[null, undefined, '', -1, 0, 'soon', [], {}, false].map((each): [unknown, number] => [
      each,
      Number.POSITIVE_INFINITY,
    ]),
    [1, 1],
    [60, 60],
    ['60', 60],
    [0.5, 0.5],
  ])('that answers with the lifetime %j gives a token for %d s', async (expires_in, lifetimeS) => {
    const clock = fakeClock();
    await using endpoint = await startUpstream({ body: { ...TOKEN, expires_in } });
    await using test = await start(`${endpoint.origin}/token`, ok, { clock });
    await test.executor.outcome(test.action());
    clock.pass(Math.min(seconds(lifetimeS) * 0.9 - 1, 1e12));
    await test.executor.outcome(test.action());
    expect(endpoint.requests).toHaveLength(1);
    if (lifetimeS === Number.POSITIVE_INFINITY) return;
    clock.pass(seconds(lifetimeS) * 0.1 + 1);
    await test.executor.outcome(test.action());
    expect(endpoint.requests).toHaveLength(2);
  });

  it.each([
    ['client_secret_basic', {}],
    ['client_secret_post', { client_id: 'erp', client_secret: SECRET }],
  ])('gets all parameters of the credential with %s', async (method, login) => {
    await using endpoint = await startUpstream({ body: TOKEN });
    const more = `    auth_method: ${method}
    audience: https://api.test/
    resource: urn:erp
    parameters: { organization: "a b&c", tenant: "7" }
`;
    await using test = await start(`${endpoint.origin}/token?v=2`, ok, {}, more);
    expect(await test.executor.outcome(test.action())).toMatchObject({ outcome: 'success' });
    const [request] = endpoint.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/token?v=2' });
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      grant_type: 'client_credentials',
      scope: 'orders',
      audience: 'https://api.test/',
      resource: 'urn:erp',
      organization: 'a b&c',
      tenant: '7',
      ...login,
    });
    expect(request?.headers.authorization !== undefined).toBe(method === 'client_secret_basic');
  });

  it('that hangs after a token has ended makes the credential unavailable', async () => {
    const clock = fakeClock();
    const replies: Handler[] = [
      (_request, response) => reply(response, { body: { ...TOKEN, expires_in: 10 } }),
      () => clock.pass(2_000),
    ];
    await using endpoint = await startUpstream((...args) => replies.shift()?.(...args));
    const setup = { clock, attemptTimeoutMs: 2_000, totalTimeoutMs: 5_000 };
    await using test = await start(`${endpoint.origin}/token`, ok, setup);
    await test.executor.outcome(test.action());
    clock.pass(10_000);
    const { code } = await test.executor.refusal(test.action('POST'));
    expect(code).toBe('CredentialUnavailable');
    expect(test.upstream.requests).toHaveLength(1);
  });

  it('may answer with exactly 64 KiB', async () => {
    await using endpoint = await startUpstream({ headers: json, body: answerOf(65_536) });
    await using test = await start(`${endpoint.origin}/token`, ok);
    expect(await test.executor.outcome(test.action())).toMatchObject({ outcome: 'success' });
  });

  it('that is slow makes the credential unavailable after the total time', async () => {
    await using endpoint = await startUpstream(() => {});
    const setup = { attemptTimeoutMs: 5_000, totalTimeoutMs: 100 };
    await using test = await start(`${endpoint.origin}/token`, ok, setup);
    const { code, message } = await test.executor.refusal(test.action());
    expect(code).toBe('CredentialUnavailable');
    expect(message).toContain('its token did not arrive within the total time limit');
    expect(test.upstream.requests).toEqual([]);
  });

  it('is reached only at an address that the guard allows, and not in a dry run', async () => {
    const { resolve } = LOCAL_NAMES;
    for (const [networks, reason] of [
      [[], 'has an address that the executor does not allow. Ask an operator'],
      [LOCAL_NAMES.networks, 'could not establish a TLS connection. Ask an operator'],
    ] as const) {
      await using endpoint = await startUpstream();
      const url = `https://id.test:${endpoint.port}/token`;
      await using test = await start(url, ok, { resolve, networks: [...networks] });
      expect(await test.executor.dryRun(test.action())).toMatchObject({ would_send: true });
      expect(endpoint.connections).toBe(0);
      const { message } = await test.executor.refusal(test.action());
      expect(message).toContain(`its token endpoint ${reason}`);
      expect(message).not.toContain('id.test');
      expect(endpoint.connections).toBe(networks.length);
    }
  });

  it.each([
    ['a 401 after which it has no other token', [200, 401], [{ body: TOKEN }, { status: 500 }], 1],
    ['a 401 in the last of three attempts', [200, 503, 503, 401], [{ body: TOKEN }], 3],
  ])('does not change %s into a refusal', async (_name, statuses, tokens, attempts) => {
    await using endpoint = await startUpstream(tokens);
    const replies = statuses.map((status) => ({ status }));
    const clock = fakeClock();
    await using test = await start(`${endpoint.origin}/token`, replies, { clock });
    await test.executor.outcome(test.action());
    clock.pass(31_000);
    const { json, reason } = await test.executor.execute(test.action());
    expect(JSON.parse(json.toString())).toMatchObject({
      error: 'HttpFailure',
      status: 401,
      attempts,
    });
    expect(endpoint.requests).toHaveLength(tokens.length);
    const why = expect.stringContaining('`erp` is unavailable: its token endpoint answered with');
    expect(reason).toEqual(tokens.length > 1 ? why : undefined);
  });

  it('that fails to renew a token leaves it in use until it ends', async () => {
    const clock = fakeClock();
    await using endpoint = await startUpstream([{ body: TOKEN }, { status: 500 }, { status: 500 }]);
    await using test = await start(`${endpoint.origin}/token`, ok, { clock });
    await test.executor.outcome(test.action());
    clock.pass(59_999);
    expect(await test.executor.outcome(test.action())).toMatchObject({ outcome: 'success' });
    await expect.poll(() => endpoint.requests.length).toBe(2);
    clock.pass(1);
    expect(await test.executor.refusal(test.action())).toMatchObject({
      code: 'CredentialUnavailable',
    });
  });

  it('that hangs delays no execution while a token is valid', async () => {
    const clock = fakeClock();
    const hang = () => {};
    let answer = (response: ServerResponse) => reply(response, { headers: json, body: TOKEN });
    await using endpoint = await startUpstream((_request, response) => answer(response));
    await using test = await start(`${endpoint.origin}/token`, ok, { clock });
    await test.executor.outcome(test.action());
    answer = hang;
    clock.pass(59_999);
    for (const _ of [1, 2])
      expect(await test.executor.outcome(test.action())).toMatchObject({ outcome: 'success' });
    await expect.poll(() => endpoint.requests.length).toBe(2);
  });

  it('is not asked again when one of its callers leaves', async () => {
    const gate = Promise.withResolvers<void>();
    await using endpoint = await startUpstream(async (_request, response) => {
      await gate.promise;
      reply(response, { headers: json, body: TOKEN });
    });
    await using test = await start(`${endpoint.origin}/token`, ok);
    const leaving = new AbortController();
    const left = test.executor.outcome(test.action(), { signal: leaving.signal });
    const stays = test.executor.outcome(test.action());
    await expect.poll(() => endpoint.requests.length).toBe(1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    gate.resolve();
    expect(await stays).toMatchObject({ outcome: 'success' });
    expect(endpoint.requests).toHaveLength(1);
  });
});
