import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Received, type Reply, reply, startService, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { createExecutorClient, createGate, type Policy, type RunOptions } from '../src/index.ts';
import { SUCCESS, startKeyedExecutor } from './support/signing.ts';

const policy: Policy = {
  check: () => ({
    decision: 'allow',
    rules: (['spend_limit', 'pii_guardrail', 'legal_compliance'] as const).map((rule) => ({
      ...{ rule, outcome: 'allow', detail: '' },
    })),
  }),
};
const GATED = { check: {}, action: { method: 'POST', url: 'http://a.example/' } };

type Answer = (request: Received) => Reply | undefined;
const lost: Answer = () => undefined;
const done: Answer = () => ({ body: SUCCESS });
const again: Answer = () => ({ headers: { 'idempotent-replayed': 'true' }, body: SUCCESS });
const refused: Answer = () => ({
  status: 429,
  body: {
    ...{ type: '/problems/x', title: 't', status: 429, detail: 'd', code: 'TooManyRequests' },
    request_id: 'r',
  },
});

async function run(answers: readonly Answer[], options: RunOptions = {}, store?: boolean) {
  await using service = await startKeyedExecutor(answers, store);
  await using executor = createExecutorClient({ url: service.origin });
  const gate = createGate({ policy, executor });
  const results = [await gate.run(GATED, options), await gate.run(GATED, options)];
  const { requests } = service;
  const keys = requests
    .filter(({ method }) => method === 'POST')
    .map(({ headers }) => headers['idempotency-key']);
  return { results, keys, questions: requests.length - keys.length };
}

const UUID = expect.stringMatching(/^[\da-f]{8}-[\da-f-]{27}$/);

describe('an executor with a store', () => {
  it('gets a new key with each run, and is asked once whether it has a store', async () => {
    const { keys, questions } = await run([done], {}, true);
    expect(keys).toEqual([UUID, UUID]);
    expect(new Set(keys).size).toBe(2);
    expect(questions).toBe(1);
  });

  it('gets the key of the caller, without a question', async () => {
    const { keys, questions, results } = await run([done, again], { idempotencyKey: 'k/1' }, true);
    expect([keys, questions]).toEqual([['k/1', 'k/1'], 0]);
    expect(results[0]).not.toHaveProperty('replayed');
    expect(results[1]).toMatchObject({ state: 'executed', replayed: true, outcome: SUCCESS });
    expect(Object(results[1]).outcome).not.toHaveProperty('replayed');
  });

  it('is asked again with the same key if an answer was lost', async () => {
    const { keys, results } = await run([lost, again, done], {}, true);
    expect(keys).toEqual([UUID, UUID, UUID]);
    expect([keys[0] === keys[1], keys[1] === keys[2]]).toEqual([true, false]);
    expect(results).toMatchObject([{ state: 'executed', replayed: true }, { state: 'executed' }]);
  });

  it('is asked at most twice, and a lost answer stays a lost answer', async () => {
    for (const second of [lost, refused]) {
      const { keys, results } = await run([lost, second, done], {}, true);
      expect(keys).toHaveLength(3);
      expect(results).toMatchObject([{ state: 'unanswered', maybeSent: true }, {}]);
    }
  });

  it('is not asked again after a refusal', async () => {
    const { keys, results } = await run([refused, done], {}, true);
    expect(keys).toHaveLength(2);
    expect(results).toMatchObject([{ state: 'refused' }, { state: 'executed' }]);
  });
});

describe('an executor without a store', () => {
  it('gets no key, and a lost answer is not repeated', async () => {
    const { keys, questions, results } = await run([lost, done], {}, false);
    expect([keys, questions]).toEqual([[undefined, undefined], 1]);
    expect(results).toMatchObject([{ state: 'unanswered', maybeSent: true }, {}]);
  });

  it('still gets the key of the caller, who relies on it', async () => {
    const { keys } = await run([done], { idempotencyKey: 'k' }, false);
    expect(keys).toEqual(['k', 'k']);
  });

  it('is asked again whether it has a store, if it did not say so', async () => {
    const { keys, questions } = await run([done]);
    expect([keys, questions]).toEqual([[undefined, undefined], 2]);
  });
});

it('an executor that runs in this process needs no store', async () => {
  const execute = async () => SUCCESS as never;
  const result = await createGate({ policy, executor: { execute } }).run(GATED);
  expect(result).toMatchObject({ state: 'executed' });
});

it('a real executor sends an action once, although its first answer is lost', async () => {
  await using shop = await startUpstream({ body: { order: 1 } });
  await using store = await mkdtempDisposable(join(tmpdir(), 'gatehouse-keys-'));
  await using service = await startService('executor', {
    HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop.port}`,
    HTTP_EXECUTOR_STORE: `sqlite:${join(store.path, 'keys.db')}`,
  });
  let lostAnswers = 0;
  await using proxy = await startUpstream(async ({ method, url, headers, body }, response) => {
    const { 'idempotency-key': key = '' } = headers;
    const sent = {
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': `${key}` }),
    };
    const init = method === 'GET' ? {} : { method, headers: sent, body };
    const answer = await fetch(`${service.url}${url}`, init);
    const replayed = answer.headers.get('idempotent-replayed');
    const text = await answer.text();
    if (method === 'POST' && lostAnswers++ === 0) response.socket?.destroy();
    else
      reply(response, { body: text, headers: replayed ? { 'idempotent-replayed': replayed } : {} });
  });
  await using executor = createExecutorClient({ url: proxy.origin });
  const gate = createGate({ policy, executor });
  const action = { method: 'POST', url: `${shop.origin}/orders` };
  const result = await gate.run({ check: {}, action });
  expect(result).toMatchObject({ state: 'executed', replayed: true, outcome: { status: 200 } });
  expect(shop.requests).toHaveLength(1);
});
