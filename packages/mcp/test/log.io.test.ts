import { defaultProfile, evaluate } from '@gatehouse/policy';
import { shared, startService, startUpstream } from '@gatehouse/testing';
import type { ElicitResult } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { COSTS, ERAS, HARMLESS, httpHost, type McpProcess, startMcp } from './support/host.ts';

const shop = shared(() => startUpstream({ body: {} }));
const policy = shared(() => startService('policy'));
const { digest } = evaluate(HARMLESS, defaultProfile);
const client = { name: 'test', version: '1' };

/** Log lines of calls, without the lines about the start. */
const callsIn = ({ stderr }: McpProcess): Record<string, unknown>[] =>
  stderr
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
    .filter(({ tool }) => tool !== undefined);

const user = (): ElicitResult => ({ action: 'decline' });

it('each line has the facts, codes, digest and client, but amounts only if set', async () => {
  const hosts = ['--allowed-hosts', `127.0.0.1:${shop().port}`];
  for (const [logged, remote] of [
    [false, []],
    [true, ['--policy-url', policy().url]],
  ] as const) {
    const env = { POLICY_LOG_AMOUNTS: String(logged) };
    await using mcp = await startMcp({ args: [...hosts, ...remote], env });
    let calls = 0;
    for (const era of ERAS) {
      await using host = await httpHost(mcp, { era, user });
      const action = { method: 'POST', url: `${shop().origin}/orders` };
      const facts = { ...COSTS(47_110), connector: { scope: 'mcp://calendar/secret' } };
      await host.request({ ...action, ...facts });
      await host.call('check_policy', facts);
      calls += 3;
      await expect.poll(() => callsIn(mcp)).toHaveLength(calls);
      const lines = callsIn(mcp).splice(-3);
      expect(lines.map(({ tool, state }) => [tool, state])).toEqual([
        ['http_request', 'asking'],
        ['http_request', 'declined'],
        ['check_policy', undefined],
      ]);
      for (const line of lines)
        expect(line).toMatchObject({
          ...{ client, digest, profile: 'default', decision: 'require_approval' },
          rules: {
            spend_limit: { outcome: 'require_approval', code: 'amount_above_limit' },
            pii_guardrail: { outcome: 'allow', code: 'nothing_claimed' },
          },
          ...{ pii: { categories: [] }, legal: { flags: [] } },
          connector: { scope: 'mcp://calendar/…' },
        });
      const spend = logged ? facts.spend : undefined;
      expect(lines.map((line) => line.spend)).toEqual(Array(3).fill(spend));
      expect(
        /(?<!-)\b4711\b|471\.10|mcp:\/\/calendar\/s/.test(
          JSON.stringify(lines.map((line) => ({ ...line, spend: 0 }))),
        ),
      ).toBe(false);
    }
  }
});

it('the log cuts long names of clients', async () => {
  await using mcp = await startMcp();
  await using host = await httpHost(mcp, { name: 'x'.repeat(10_000) });
  await host.call('check_policy', HARMLESS);
  const named = expect.objectContaining({ client: { name: 'x'.repeat(100), version: '1' } });
  await expect.poll(() => callsIn(mcp)).toEqual([named]);
});
