import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POSTGRES_BIN, startPostgres, startService, startUpstream } from '@gatehouse/testing';
import { afterAll, expect, it } from 'vitest';
import { claims, HEADER, jws, KEYS, keySet } from './support/decisions.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
afterAll(() => rmSync(folder, { recursive: true }));

const UNTIL = new Date(Date.now() + 600_000).toISOString();
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

it.skipIf(POSTGRES_BIN === undefined).each<[name: string, more: (index: number) => object]>([
  ['token', () => ({})],
  ['approval', (index) => ({ approval_id: `approval-${index}`, approved_until: UNTIL })],
])('two replicas that share a database let each %s be used once', async (name, more) => {
  const keys = join(folder, 'keys.json');
  writeFileSync(keys, keySet({ k1: KEYS }));
  await using upstream = await startUpstream({ body: {} });
  await using postgres = await startPostgres();
  const env = { HTTP_EXECUTOR_DECISION_KEYS: keys, HTTP_EXECUTOR_STORE: postgres.url };
  await using one = await startService('executor', env);
  await using two = await startService('executor', env);
  const action = { method: 'POST', url: `${upstream.origin}/`, body: { name } };
  const token = (index: number) => jws(HEADER, claims(action, more(index)));
  const send = async (url: string, decision: string) => {
    const headers = { 'content-type': 'application/json', 'x-gatehouse-decision': decision };
    const body = JSON.stringify(action);
    const { code, outcome } = Object(
      await (await fetch(`${url}/execute`, { method: 'POST', headers, body })).json(),
    );
    return code ?? outcome;
  };
  const pairs = range(50).map((index) => {
    const first = token(index);
    // An approval has another token for each replica.
    const second = name === 'token' ? first : token(index);
    return Promise.all([send(one.url, first), send(two.url, second)]);
  });
  for (const answers of await Promise.all(pairs))
    expect(answers.toSorted()).toEqual(['DecisionUsed', 'success']);
  expect(upstream.requests).toHaveLength(50);
});
