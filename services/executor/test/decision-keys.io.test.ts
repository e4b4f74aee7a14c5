import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Handler, type Reply, replaceFile, reply, startUpstream } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readConfig } from '../src/config.ts';
import { claims, HEADER, jws, KEYS, keySet, OTHER_KEYS, RSA_KEYS } from './support/decisions.ts';
import { clientOf, type Executor, readProblem, startExecutor } from './support/executor.ts';
import { startProcess } from './support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
const path = (name: string) => join(folder, name);
let upstream: Awaited<ReturnType<typeof startUpstream>>;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await upstream[Symbol.asyncDispose]();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Sender = Pick<Executor, 'url' | 'execute'>;

/** Executes an action with a token that a key of the policy has signed. */
function execute(executor: Sender, kid: string, { privateKey } = KEYS): Promise<Response> {
  const action = { method: 'GET', url: `${upstream.origin}/` };
  const token = jws({ ...HEADER, kid }, claims(action), privateKey);
  return executor.execute(action, { headers: { 'x-gatehouse-decision': token } });
}
const statusOf = async (executor: Sender, kid: string, keys = KEYS) =>
  (await execute(executor, kid, keys)).status;
const readiness = async ({ url }: Sender) => (await fetch(`${url}/readyz`)).status;

const start = (source: string) => startExecutor({ HTTP_EXECUTOR_DECISION_KEYS: source });

/** Starts a server that serves key sets, and an executor that uses them. */
async function startWithKeyServer(script: Reply | Handler) {
  const server = await startUpstream(script);
  const executor = await start(`${server.origin}/policy/keys`);
  await expect.poll(() => server.requests.length).toBe(1);
  return {
    ...clientOf(executor.url),
    server,
    [Symbol.asyncDispose]: async () => {
      await executor[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const now = performance.now.bind(performance);

/** Lets `performance.now()` run ahead of the real time. */
function skip(ms: number): void {
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
}

describe('keys of the policy', { concurrent: false }, () => {
  const jwk = KEYS.publicKey.export({ format: 'jwk' });
  it.each<[name: string, key: object, status: number]>([
    ['an Ed25519 key', { ...jwk, kid: 'k1' }, 200],
    ['one for EdDSA', { ...jwk, kid: 'k1', alg: 'EdDSA', use: 'sig' }, 200],
    ['one without id', jwk, 503],
    ['one for encryption', { ...jwk, kid: 'k1', use: 'enc' }, 503],
    ['one for another algorithm', { ...jwk, kid: 'k1', alg: 'ES256' }, 503],
    ['a private key', { ...KEYS.privateKey.export({ format: 'jwk' }), kid: 'k1' }, 503],
    ['one that is too short', { ...jwk, x: 'AAAA', kid: 'k1' }, 503],
    ['X25519', { ...jwk, crv: 'X25519', kid: 'k1' }, 503],
    ['RSA', { ...RSA_KEYS.publicKey.export({ format: 'jwk' }), kid: 'k1' }, 503],
    ['a shared secret', { kty: 'oct', k: jwk.x, kid: 'k1' }, 503],
  ])('from a file: %s', async (_name, key, status) => {
    writeFileSync(path('one.json'), JSON.stringify({ keys: [null, 1, key] }));
    await using executor = await start(path('one.json'));
    expect(await readiness(executor)).toBe(status);
    const response = await execute(executor, 'k1');
    expect(response.status).toBe(status);
    if (status === 503)
      expect(await readProblem(response)).toMatchObject({ code: 'DecisionKeysUnavailable' });
    else expect((await executor.execute({ method: 'GET', url: upstream.origin })).status).toBe(403);
  });

  it('are read again when their file changes, and stay if it is bad or empty', async () => {
    const file = path('reloaded.json');
    writeFileSync(file, keySet({ k1: KEYS }));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await using executor = await start(file);
    const change = (content: string) => {
      replaceFile(file, content);
      vi.advanceTimersByTime(3_000);
    };
    change(keySet({ k2: OTHER_KEYS }));
    expect(await statusOf(executor, 'k2', OTHER_KEYS)).toBe(200);
    expect(await statusOf(executor, 'k1')).toBe(403);
    for (const content of ['{', '{"keys":[]}', '[]']) {
      change(content);
      expect(await statusOf(executor, 'k2', OTHER_KEYS)).toBe(200);
      expect(await readiness(executor)).toBe(200);
    }
    change(keySet({ k2: KEYS }));
    expect(await statusOf(executor, 'k2', OTHER_KEYS)).toBe(403);
    expect(await statusOf(executor, 'k2')).toBe(200);
  });

  it('from a URL are fetched for an unknown id, at most every 10 s', async () => {
    let keys = keySet({ k1: KEYS });
    await using executor = await startWithKeyServer((_request, response) =>
      reply(response, { body: keys }),
    );
    await expect.poll(() => readiness(executor)).toBe(200);
    expect(await statusOf(executor, 'k1')).toBe(200);
    keys = keySet({ k2: OTHER_KEYS });
    expect(await statusOf(executor, 'k2', OTHER_KEYS)).toBe(403);
    skip(8_000);
    expect(await statusOf(executor, 'k2', OTHER_KEYS)).toBe(403);
    expect(executor.server.requests).toHaveLength(1);
    skip(10_000);
    const statuses = [1, 2, 3].map(() => statusOf(executor, 'k2', OTHER_KEYS));
    expect(await Promise.all(statuses)).toEqual([200, 200, 200]);
    expect(await statusOf(executor, 'k3')).toBe(403);
    expect(executor.server.requests).toHaveLength(2);
  });

  it('from a URL are fetched every 5 minutes', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await using executor = await startWithKeyServer({ body: keySet({ k1: KEYS }) });
    // While timers are fake, polling in a test advances them a little.
    vi.advanceTimersByTime(295_000);
    await statusOf(executor, 'k1');
    expect(executor.server.requests).toHaveLength(1);
    vi.advanceTimersByTime(5_000);
    await expect.poll(() => executor.server.requests.length).toBe(2);
  });

  it.each<[name: string, script: Reply | Handler]>([
    ['redirects', { status: 302, headers: { location: '/other' } }],
    ['fails', { status: 500, body: keySet({ k1: KEYS }) }],
    ['sends no JSON', { body: 'x' }],
    ['repeats a member', { body: keySet({ k1: KEYS }).replace('{', '{"keys":[],') }],
    ['sends no key set', { body: '[]' }],
    ['sends no key', { body: '{"keys":[]}' }],
    ['cuts the connection', (_request, response) => response.destroy()],
  ])('are missing if their server %s, until it works', async (_name, script) => {
    let works = false;
    await using executor = await startWithKeyServer((request, response) => {
      if (works) return reply(response, { body: keySet({ k1: KEYS }) });
      return typeof script === 'function' ? script(request, response) : reply(response, script);
    });
    expect(await readiness(executor)).toBe(503);
    const problem = await readProblem(await execute(executor, 'k1'));
    expect(problem).toMatchObject({ code: 'DecisionKeysUnavailable', status: 503 });
    expect(executor.server.requests).toHaveLength(1);
    works = true;
    skip(10_000);
    await expect.poll(() => readiness(executor)).toBe(200);
    expect(executor.server.requests.map(({ url }) => url)).toEqual([
      '/policy/keys',
      '/policy/keys',
    ]);
    expect(await statusOf(executor, 'k1')).toBe(200);
  });

  it('must come from a file or over https, except from loopback', () => {
    const read = (source: string) => () => readConfig({ HTTP_EXECUTOR_DECISION_KEYS: source });
    writeFileSync(path('bad.json'), '{}');
    const bad = [
      '',
      'http://policy.test/keys',
      'https://a:b@policy.test/',
      'https://policy.test/#x',
    ];
    for (const source of [...bad, path('none.json'), path('bad.json'), folder])
      expect(read(source)).toThrow(/HTTP_EXECUTOR_DECISION_KEYS/);
    for (const source of ['https://policy.test/keys', 'http://localhost:1/', 'http://[::1]/'])
      expect(read(source)).not.toThrow();
  });

  it('the log has the code of a refusal and the id of its token, but never the token', async () => {
    writeFileSync(path('log.json'), keySet({ k1: KEYS }));
    await using service = await startProcess({ HTTP_EXECUTOR_DECISION_KEYS: path('log.json') });
    const action = { method: 'GET', url: `${upstream.origin}/` };
    const token = jws(HEADER, claims(action, { jti: 'the-id' }));
    const headers = { 'x-gatehouse-decision': token };
    for (const url of [action.url, action.url, `${upstream.origin}/other`])
      await service.execute({ ...action, url }, { headers });
    const lines = () => service.lines().filter(({ path: at }) => at === '/execute');
    await expect.poll(() => lines().length).toBe(3);
    expect(lines()).toMatchObject([
      { msg: 'execution', jti: 'the-id' },
      { level: 'warn', code: 'DecisionUsed', jti: 'the-id' },
      { level: 'warn', code: 'DecisionForAnotherAction', jti: 'the-id' },
    ]);
    expect(service.output).not.toContain(token.split('.')[2]);
    const warnings = service.lines().filter(({ msg }) => String(msg).includes('once per process'));
    expect(warnings).toHaveLength(1);
  });
});
