import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exampleOf } from '@gatehouse/contracts';
import { startGatedUpstream, startUpstream } from '@gatehouse/testing';
import { afterAll, expect, it } from 'vitest';
import { claims, HEADER, jws, KEYS, keySet, seconds } from './support/decisions.ts';
import { readProblem, startExecutor } from './support/executor.ts';

/**
 * Replaces addresses, ports and limits, which differ between this test and the documented examples.
 */
const comparable = (detail: string) =>
  detail.replaceAll(/\d+/g, '#').replace('#.#.#.#', 'localhost');

const get = (url: string) => ({ method: 'GET', url });

it.each([
  ['InvalidAction', () => ({ method: 'BREW', url: 'http://localhost/' })],
  [
    'InvalidResponseSchema',
    () => ({ ...get('http://localhost/'), response_schema: { $comment: 'x'.repeat(262_144) } }),
  ],
  ['HostNotAllowed', () => get('http://example.com/')],
  ['AddressNotAllowed', (own: string) => get(own.replace('127.0.0.1', 'localhost'))],
  ['TooManyRequests', (_own: string, taken: string) => get(taken)],
] as const)('the example of %s is what callers get', async (code, actionOf) => {
  await using upstream = await startGatedUpstream();
  await using executor = await startExecutor({
    HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST: '1',
    HTTP_EXECUTOR_MAX_WAIT_MS: '50',
  });
  const holding = executor.execute(get(upstream.origin));
  await expect.poll(() => upstream.held.length).toBe(1);
  const response = await executor.execute(actionOf(executor.url, upstream.origin));
  if (response.status === 429) expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  const problem = await readProblem(response);
  upstream.release();
  await holding;
  const { detail, violations } = exampleOf(code);
  expect({ ...problem, detail: comparable(problem.detail) }).toMatchObject({
    code,
    detail: comparable(detail),
    ...(violations === undefined ? {} : { errors: violations }),
  });
});

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
afterAll(() => rmSync(folder, { recursive: true }));

const KEY = 'p-0123456789abcdef';

it.each([
  ['DecisionKeysUnavailable', {}],
  ['DecisionRequired', undefined],
  ['DecisionInvalid', { caller: 'reporter' }],
  ['DecisionForAnotherAction', { caller: 'planner', action_digest: 'another' }],
  ['DecisionExpired', { caller: 'planner', iat: seconds() - 90, exp: seconds() - 60 }],
  ['DecisionUsed', { caller: 'planner' }],
] as const)('the example of %s is what callers get', async (code, more) => {
  await using upstream = await startUpstream();
  const file = join(folder, 'keys.json');
  writeFileSync(file, keySet(code === 'DecisionKeysUnavailable' ? {} : { k1: KEYS }));
  await using executor = await startExecutor({
    HTTP_EXECUTOR_DECISION_KEYS: file,
    HTTP_EXECUTOR_API_TOKENS: `planner:${KEY}`,
  });
  const action = get(`${upstream.origin}/`);
  const token =
    more === undefined ? {} : { 'x-gatehouse-decision': jws(HEADER, claims(action, more)) };
  const headers = { authorization: `Bearer ${KEY}`, ...token };
  if (code === 'DecisionUsed')
    expect((await executor.execute(action, { headers })).status).toBe(200);
  const problem = await readProblem(await executor.execute(action, { headers }));
  expect(problem).toMatchObject({ code, detail: exampleOf(code).detail });
  expect(upstream.requests).toHaveLength(code === 'DecisionUsed' ? 1 : 0);
});
