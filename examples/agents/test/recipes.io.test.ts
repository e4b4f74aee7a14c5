import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createExecutorClient, createGate, createPolicyClient, type Gate } from '@gatehouse/client';
import {
  type Received,
  type Reply,
  reply,
  shared,
  startService,
  startUpstream,
} from '@gatehouse/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

const page = readFileSync(new URL('../../../docs/agents.md', import.meta.url), 'utf8');
const [, section = ''] = /^## Recipes$(.*?)^## /ms.exec(page) ?? [];
const blocks = [...section.matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code);
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-recipes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CHECK = {
  spend: { amount_minor_units: 0, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
};

/** Replies by method, path and query. */
const REPLIES: Readonly<Record<string, (request: Received) => Reply>> = {
  'POST /graphql': ({ body }) =>
    body.includes('refused')
      ? { body: { data: null, errors: [{ message: 'not yours' }] } }
      : { body: { data: { order: 7 } } },
  'POST /payments': () => ({ body: { paid: true } }),
  'POST /jobs': () => ({ status: 202, headers: { location: '/jobs/1', 'retry-after': '1' } }),
  'GET /jobs/1': () => ({ status: 202, headers: { location: 'status/2', 'retry-after': '0' } }),
  'GET /jobs/status/2': () => ({ body: { done: true } }),
  'POST /endless': () => ({ status: 202, headers: { location: '/endless', 'retry-after': '0' } }),
  'GET /endless': () => ({ status: 202, headers: { 'retry-after': '0' } }),
  'GET /orders': () => ({
    headers: { link: ['</orders>; rel="first"', '<?page=2>; title="two"; rel="next"'] },
    body: [1, 2],
  }),
  'GET /orders?page=2': () => ({
    headers: { link: '</orders>; rel="prev", </orders?page=3>; rel=next' },
    body: [3],
  }),
  'GET /orders?page=3': () => ({ headers: { link: '</orders>; rel="first"' }, body: [4] }),
  'GET /repos/octocat/hello/issues?state=open&per_page=100': () => ({
    headers: { link: '<?state=open&per_page=100&page=2>; rel="next"' },
    body: Array.from({ length: 100 }, (_, number) => ({
      ...{ number, title: `Issue ${number}`, state: 'open', body: 'b'.repeat(4_000) },
      user: { login: 'octocat', url: 'https://api.example/users/octocat' },
    })),
  }),
  'GET /broken': () => ({ headers: { link: '</missing>; rel="next"' }, body: [1] }),
};

const upstream = shared(() =>
  startUpstream((request, response) => {
    const answer = REPLIES[`${request.method} ${request.url}`] ?? (() => ({ status: 404 }));
    reply(response, answer(request));
  }),
);
const policy = shared(() => startService('policy'));
const executor = shared(() =>
  startService('executor', { HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${upstream().port}` }),
);

let recipes: Readonly<Record<string, (gate: Gate, ...rest: unknown[]) => Promise<unknown>>>;
let gate: Gate;
beforeAll(async () => {
  const file = join(folder, 'recipes.mjs');
  writeFileSync(file, blocks.join('\n'));
  recipes = await import(file);
  gate = createGate({
    policy: createPolicyClient({ url: policy().url }),
    executor: createExecutorClient({ url: executor().url }),
  });
});

const at = (path: string) => `${upstream().origin}${path}`;
const sentSince = (start: number) =>
  upstream()
    .requests.slice(start)
    .map(({ method, url }) => `${method} ${url}`);

it('what a model gets: the members that it needs, in a size that it can pay for', async () => {
  const outcome = {
    links: { next: at('/repos/octocat/hello/issues?state=open&per_page=100&page=2') },
  };
  const result = (await recipes.openIssues?.(gate, CHECK, at(''), 'octocat/hello')) as {
    outcome: { body: object[] };
  };
  expect(result).toMatchObject({ state: 'executed', outcome });
  expect(result.outcome).not.toHaveProperty('omitted');
  expect(result.outcome.body).toHaveLength(100);
  expect(result.outcome.body[7]).toEqual({
    ...{ number: 7, title: 'Issue 7', state: 'open', user: { login: 'octocat' } },
  });
  expect(JSON.stringify(result.outcome.body).length).toBeLessThan(9_000);
});

it('GraphQL: a 200 with errors is a failure that shows them', async () => {
  const ask = (query: string) => recipes.graphql?.(gate, CHECK, at('/graphql'), query, { id: 7 });
  expect(await ask('{ order }')).toMatchObject({
    state: 'executed',
    outcome: { outcome: 'success', body: { data: { order: 7 } } },
  });
  expect(JSON.parse(upstream().requests.at(-1)?.body ?? '')).toEqual({
    query: '{ order }',
    variables: { id: 7 },
  });
  expect(await ask('{ refused }')).toMatchObject({
    outcome: {
      ...{ outcome: 'failure', error: 'SchemaValidationFailed', status: 200 },
      body: { errors: [{ message: 'not yours' }] },
    },
  });
});

it('polling: waits as asked, follows relative locations, and ends', async () => {
  const before = upstream().requests.length;
  const start = performance.now();
  const job = (path: string) => ({ check: CHECK, action: { method: 'POST', url: at(path) } });
  expect(await recipes.runJob?.(gate, job('/jobs'), CHECK)).toMatchObject({
    outcome: { status: 200, body: { done: true } },
  });
  expect(performance.now() - start).toBeGreaterThan(990);
  expect(sentSince(before)).toEqual(['POST /jobs', 'GET /jobs/1', 'GET /jobs/status/2']);

  const endless = upstream().requests.length;
  expect(await recipes.runJob?.(gate, job('/endless'), CHECK, { polls: 3 })).toMatchObject({
    outcome: { status: 202 },
  });
  expect(sentSince(endless)).toEqual(['POST /endless', ...Array(3).fill('GET /endless')]);
});

it('pages: follows `next` links to the end, to a limit, or to a failure', async () => {
  const read = (path: string, options?: object) =>
    recipes.readPages?.(gate, CHECK, at(path), options);
  expect(await read('/orders')).toMatchObject({ items: [1, 2, 3, 4], next: undefined });
  expect(await read('/orders', { pages: 2 })).toMatchObject({
    ...{ items: [1, 2, 3], next: at('/orders?page=3') },
  });
  expect(await read('/broken')).toMatchObject({
    ...{ items: [1], next: at('/missing') },
    result: { outcome: { error: 'HttpFailure', status: 404 } },
  });
  const elsewhere = { items: [], result: { state: 'refused' } };
  expect(await recipes.readPages?.(gate, CHECK, 'http://a.example/')).toMatchObject(elsewhere);
});

it('a payment after a crash: is made once, and its outcome is found', async () => {
  await using service = await startService('executor', {
    HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${upstream().port}`,
    HTTP_EXECUTOR_STORE: `sqlite:${join(folder, 'keys.db')}`,
  });
  await using client = createExecutorClient({ url: service.url });
  await using judge = createPolicyClient({ url: policy().url });
  const keyed = createGate({ policy: judge, executor: client });
  const payment = { check: CHECK, action: { method: 'POST', url: at('/payments') } };
  const before = upstream().requests.length;
  // The planner crashes after the payment, before it can note that the payment was made.
  const crash = () => Promise.reject(new Error('crashed'));
  const open = async () => [{ id: 'payment-7', ...payment }];
  await expect(recipes.settle?.(keyed, { open, close: crash })).rejects.toThrow('crashed');
  const closed: unknown[] = [];
  const close = async (...one: unknown[]) => void closed.push(one);
  await recipes.settle?.(keyed, { open, close });
  expect(closed).toMatchObject([
    ['payment-7', { state: 'executed', replayed: true, outcome: { body: { paid: true } } }],
  ]);
  expect(sentSince(before)).toEqual(['POST /payments']);
});

it('the page has five recipes', () => {
  expect(blocks).toHaveLength(5);
});
