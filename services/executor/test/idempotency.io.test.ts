import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exampleOf } from '@gatehouse/contracts';
import {
  freePort,
  runToExit,
  startGatedUpstream,
  startProcess,
  startRawUpstream,
  startService,
  startUpstream,
} from '@gatehouse/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { clientOf, type Executor, readProblem, startExecutor } from './support/executor.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newStore = () => ({ HTTP_EXECUTOR_STORE: `sqlite:${join(folder, `${files++}.db`)}` });

const keyed = (key: string): RequestInit => ({ headers: { 'idempotency-key': key } });
const post = (url: string, more: object = {}) => ({ method: 'POST', url, body: { a: 1 }, ...more });
/** Returns the code of a problem whose `detail` is the one in the documentation. */
async function codeOf(answer: Promise<Response> | Response): Promise<string> {
  const { code, detail } = await readProblem(await answer);
  if (KEY_PROBLEMS.includes(code)) expect(detail).toBe(exampleOf(code as 'KeyReused').detail);
  return code;
}

const KEY_PROBLEMS = [
  'InvalidIdempotencyKey',
  'IdempotencyUnavailable',
  'KeyInProgress',
  'KeyReused',
  'StoreUnavailable',
];

type Client = Pick<Executor, 'execute'>;
async function outcomeOf(executor: Client, action: unknown, key: string) {
  const response = await executor.execute(action, keyed(key));
  expect(response.status).toBe(200);
  const replayed = response.headers.get('idempotent-replayed');
  return { replayed, id: response.headers.get('x-request-id'), text: await response.text() };
}

describe('an execution with an idempotency key', () => {
  it('has an unknown outcome later if the disk is too full to store it', async () => {
    const body = JSON.stringify('x'.repeat(900_000));
    await using upstream = await startUpstream({ body });
    const main = fileURLToPath(new URL('../dist/main.mjs', import.meta.url));
    // A file that cannot grow beyond 600 KiB stands for a full disk.
    const full = 'ulimit -f 600; exec env --ignore-signal=XFSZ "$0" "$1"';
    await using limited = startProcess('bash', {
      args: ['-c', full, process.execPath, main],
      env: { ...newStore(), HTTP_EXECUTOR_BIND_ADDR: '127.0.0.1:0' },
    });
    const [, url = ''] = await limited.printed(/listening at (http:[^"]+)/);
    const executor = clientOf(url);
    const first = await outcomeOf(executor, post(upstream.origin), 'k');
    expect(JSON.parse(first.text)).toMatchObject({ outcome: 'success' });
    for (const _repetition of [1, 2]) {
      const again = await outcomeOf(executor, post(upstream.origin), 'k');
      expect(again.replayed).toBe('true');
      expect(JSON.parse(again.text)).toMatchObject({ error: 'OutcomeUnknown' });
    }
    expect(upstream.requests).toHaveLength(1);
    await limited.printed(/store unavailable/);
  });

  it('refuses a form with an exponent, which is sent unchanged without a key', async () => {
    await using upstream = await startUpstream({ body: '{}' });
    await using executor = await startExecutor(newStore());
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = { method: 'POST', url: upstream.origin, headers, body: { amount: 1 } };
    const body = JSON.stringify(form).replace('"amount":1', '"amount":50000e-2');
    const problem = await readProblem(await executor.execute(undefined, { ...keyed('k'), body }));
    expect(problem).toMatchObject({ code: 'InvalidAction', errors: [{ pointer: '/body/amount' }] });
    expect(upstream.requests).toHaveLength(0);
    expect((await executor.execute(undefined, { body })).status).toBe(200);
    expect(upstream.requests.map((each) => String(each.body))).toEqual(['amount=50000e-2']);
  });

  it.each([
    ['a success', {}, 1],
    ['a failure', { status: 404, body: 'none' }, 1],
    ['a body with all its digits', { body: '{"a":1.50e0,"a":2}' }, 1],
    ['a cut connection', undefined, 1],
  ])('is sent once, and its outcome is returned again: %s', async (_name, script, sent) => {
    await using upstream = await startUpstream(
      script ?? ((_request, response) => response.destroy()),
    );
    await using executor = await startExecutor(newStore());
    const first = await outcomeOf(executor, post(upstream.origin), 'k');
    const again = await outcomeOf(executor, post(upstream.origin), '"k"');
    expect(again).toEqual({ ...first, replayed: 'true', id: again.id });
    expect(again.id).not.toBe(first.id);
    expect(first.replayed).toBeNull();
    expect(upstream.requests).toHaveLength(sent);
    expect(await (await fetch(`${executor.url}/metrics`)).text()).toContain(
      'executor_idempotency_total{result="replayed"} 1',
    );
  });

  it('replays the outcome of the same action in another spelling', async () => {
    await using upstream = await startUpstream();
    await using executor = await startExecutor(newStore());
    const action = (members: string) =>
      `{"method":"POST","url":"${upstream.origin}/","headers":{"x-a":"1"},${members}}`;
    const spellings = [
      '"body":{"a":1,"b":[2]},"response_schema":{"type":"object","maxProperties":2}',
      '"response_schema": { "maxProperties": 2.0, "type": "object" }, "body": { "b":[2e0], "a":1 }',
    ].map(action);
    for (const body of spellings) {
      const headers = { 'idempotency-key': 'k', 'content-type': 'application/json' };
      const { status } = await fetch(`${executor.url}/execute`, { method: 'POST', headers, body });
      expect([body, status]).toEqual([body, 200]);
    }
    expect(upstream.requests).toHaveLength(1);
  });

  it('is refused for any other action, and sent for any other caller or key', async () => {
    await using upstream = await startUpstream();
    await using executor = await startExecutor({
      ...newStore(),
      HTTP_EXECUTOR_API_TOKENS: 'one:first-token-1,two:second-token-2',
    });
    const send = (action: unknown, key = 'k', token = 'first-token-1') =>
      executor.execute(action, {
        headers: { 'idempotency-key': key, authorization: `Bearer ${token}` },
      });
    const action = post(upstream.origin, { headers: { cookie: 'a=1' } });
    expect((await send(action)).status).toBe(200);
    const others = [
      { url: `${upstream.origin}/x` },
      { body: { a: 2 } },
      { method: 'PUT' },
      { headers: { cookie: 'a=2' } },
      { headers: {} },
      { response_schema: {} },
      { response_type: 'auto' },
      { fields: 'a' },
      { max_bytes: 64 },
      { links: true },
      { timeout_ms: 1_000 },
      { query: { a: 1 } },
    ];
    for (const other of others)
      expect(await codeOf(send({ ...action, ...other })), JSON.stringify(other)).toBe('KeyReused');
    expect(upstream.requests).toHaveLength(1);
    await send(action, 'k', 'second-token-2');
    await send(action, 'K');
    expect(upstream.requests).toHaveLength(3);
  });

  it.each([
    ['no characters', ''],
    ['empty quotes', '""'],
    ['a space', 'a b'],
    ['a quote', 'a"b'],
    ['256 characters', 'x'.repeat(256)],
    ['a repeated header', 'a, b'],
  ])('is refused with %s', async (_name, key) => {
    await using upstream = await startUpstream();
    await using executor = await startExecutor(newStore());
    expect(await codeOf(executor.execute(post(upstream.origin), keyed(key)))).toBe(
      'InvalidIdempotencyKey',
    );
    expect(upstream.requests).toHaveLength(0);
    const longest = await executor.execute(post(upstream.origin), keyed(`"${'~'.repeat(255)}"`));
    expect(longest.status).toBe(200);
  });

  it('is refused without a store, except in dry runs', async () => {
    await using executor = await startExecutor();
    const action = post('http://localhost:1234');
    expect(await codeOf(executor.execute(action, keyed('k')))).toBe('IdempotencyUnavailable');
    const body = JSON.stringify(action);
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'a b' };
    const url = `${executor.url}/execute?dry_run=true`;
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
    expect(await (await fetch(`${executor.url}/sandbox`)).json()).not.toHaveProperty('idempotency');
  });

  it('is in progress until its outcome is stored, also after its caller has left', async () => {
    await using upstream = await startGatedUpstream();
    await using executor = await startExecutor(newStore());
    const action = post(upstream.origin);
    const leave = new AbortController();
    const left = executor.execute(action, { ...keyed('k'), signal: leave.signal });
    await expect.poll(() => upstream.held.length).toBe(1);
    leave.abort();
    await expect(left).rejects.toThrow();
    const busy = await executor.execute(action, keyed('k'));
    expect(busy.headers.get('retry-after')).toBe('1');
    expect(await codeOf(busy)).toBe('KeyInProgress');
    expect(await codeOf(executor.execute({ ...action, body: 2 }, keyed('k')))).toBe('KeyReused');
    upstream.release();
    await expect.poll(async () => (await executor.execute(action, keyed('k'))).status).toBe(200);
    expect(upstream.requests).toHaveLength(1);
    const sandbox = await (await fetch(`${executor.url}/sandbox`)).json();
    expect(sandbox).toHaveProperty('idempotency', true);
  });

  it('frees its key if nothing was sent', async () => {
    const port = await freePort();
    await using executor = await startExecutor(newStore());
    const action = post(`http://127.0.0.1:${port}`);
    const refused = await outcomeOf(executor, action, 'k');
    expect(refused.text).toContain('ConnectFailure');
    expect(await codeOf(executor.execute(post('http://example.com'), keyed('k')))).toBe(
      'HostNotAllowed',
    );
    await using upstream = await startUpstream({}, undefined, port);
    expect((await outcomeOf(executor, action, 'k')).replayed).toBeNull();
    expect(upstream.requests).toHaveLength(1);
  });

  it('replays a large outcome without its body', async () => {
    await using upstream = await startUpstream({ body: { a: 'x'.repeat(1_048_576) } });
    await using executor = await startExecutor(newStore());
    const first = JSON.parse((await outcomeOf(executor, post(upstream.origin), 'k')).text);
    expect(first.body.a).toHaveLength(1_048_576);
    const { body: _body, ...rest } = first;
    const again = await outcomeOf(executor, post(upstream.origin), 'k');
    expect(JSON.parse(again.text)).toEqual({ ...rest, body_omitted: true });
  });
});

describe('the executor with a store', () => {
  it('waits at shutdown for an execution whose caller has left', async () => {
    await using upstream = await startGatedUpstream();
    const store = newStore();
    await using first = await startService('executor', store);
    const leave = new AbortController();
    const action = post(upstream.origin);
    const sent = clientOf(first.url).execute(action, { ...keyed('k'), signal: leave.signal });
    await expect.poll(() => upstream.held.length).toBe(1);
    leave.abort();
    await expect(sent).rejects.toThrow();
    const ended = first.stop();
    await first.printed(/shutting down/);
    upstream.release();
    expect(await ended).toMatchObject({ code: 0 });
    expect(first.stdout).toContain('execution ended without its caller');
    expect(first.stdout).not.toContain('"k"');

    await using second = await startService('executor', store);
    const again = await outcomeOf(clientOf(second.url), action, 'k');
    expect(again).toMatchObject({ replayed: 'true', text: expect.stringContaining('"success"') });
    expect(upstream.requests).toHaveLength(1);
    const [line] = await second.printed(/.*"replayed":true.*/);
    const { host } = new URL(upstream.origin);
    expect(JSON.parse(line).upstream).toMatchObject({ method: 'POST', host, path: '/' });
  });

  it('says that an outcome is unknown after it was killed', async () => {
    await using upstream = await startGatedUpstream();
    const store = newStore();
    const first = await startService('executor', store);
    const sent = clientOf(first.url).execute(post(upstream.origin), keyed('k'));
    sent.catch(() => {});
    await expect.poll(() => upstream.held.length).toBe(1);
    await first[Symbol.asyncDispose]();
    await using second = await startService('executor', store);
    for (const _ of [1, 2]) {
      const again = await outcomeOf(clientOf(second.url), post(upstream.origin), 'k');
      expect(again.replayed).toBe('true');
      expect(JSON.parse(again.text)).toMatchObject({ outcome: 'failure', error: 'OutcomeUnknown' });
    }
    expect(upstream.requests).toHaveLength(1);
  });

  it('does not start twice with one SQLite file', async () => {
    const store = newStore();
    await using first = await startService('executor', store);
    const { code, stderr } = await runToExit('executor', store);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /HTTP_EXECUTOR_STORE cannot be used: another process uses `.*`; end .*\n$/,
    );
    expect(first.output).not.toMatch(/experimental/i);
  });

  it('runs without its PostgreSQL, but is not ready and refuses keys', async () => {
    const password = 'hunter2-and-more';
    const address = `127.0.0.1:${await freePort()}`;
    await using service = await startService('executor', {
      HTTP_EXECUTOR_STORE: `postgres://me:${password}@${address}/db`,
    });
    await using upstream = await startUpstream();
    const executor = clientOf(service.url);
    await service.printed(/store unavailable/);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    expect(await codeOf(executor.execute(post(upstream.origin), keyed('k')))).toBe(
      'StoreUnavailable',
    );
    expect((await executor.execute(post(upstream.origin))).status).toBe(200);
    expect(upstream.requests).toHaveLength(1);
    expect(service.output).not.toContain(password);
  });

  it('is not ready before its PostgreSQL has answered', async () => {
    await using silent = await startRawUpstream();
    await using service = await startService('executor', {
      HTTP_EXECUTOR_STORE: `postgres://me@127.0.0.1:${silent.port}/db`,
    });
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    expect(service.output).not.toContain('store unavailable');
  });
});
