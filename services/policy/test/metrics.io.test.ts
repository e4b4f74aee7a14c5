import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { postCheck, startPolicy } from './support/policy-server.ts';

async function samplesOf(url: string, token?: string): Promise<string[]> {
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return text
    .split('\n')
    .filter((line) => /^policy_(?:decisions|rule)/.test(line) && !line.endsWith(' 0'));
}

const ALLOWED = {
  spend: { amount_minor_units: 1, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
};

const BY_DEFAULT = 'caller="",profile="default"';

it('counts decisions and the outcomes of each rule', async () => {
  await using server = await startPolicy();
  await postCheck(server.url, JSON.stringify(ALLOWED));
  await postCheck(server.url, JSON.stringify({ ...ALLOWED, connector: { scope: 'mcp://root' } }));
  await postCheck(server.url, JSON.stringify({ ...ALLOWED, pii: null }));
  await postCheck(server.url, JSON.stringify({ ...ALLOWED, pii: null }));
  expect(await samplesOf(server.url)).toEqual([
    `policy_decisions_total{decision="allow",${BY_DEFAULT}} 1`,
    `policy_decisions_total{decision="require_approval",${BY_DEFAULT}} 2`,
    `policy_decisions_total{decision="deny",${BY_DEFAULT}} 1`,
    `policy_rule_outcomes_total{rule="spend_limit",outcome="allow",${BY_DEFAULT}} 4`,
    `policy_rule_outcomes_total{rule="pii_guardrail",outcome="allow",${BY_DEFAULT}} 2`,
    `policy_rule_outcomes_total{rule="pii_guardrail",outcome="require_approval",${BY_DEFAULT}} 2`,
    `policy_rule_outcomes_total{rule="legal_compliance",outcome="allow",${BY_DEFAULT}} 4`,
    `policy_rule_outcomes_total{rule="connector_scope",outcome="deny",${BY_DEFAULT}} 1`,
  ]);
});

it('counts by caller and by the profile that decided', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-metrics-'));
  const file = join(folder, 'profiles.yaml');
  await writeFile(
    file,
    'default: a\nprofiles: [{ name: a }, { name: b }]\ncallers: { planner: b }\n',
  );
  await using policy = await startService('policy', {
    POLICY_PROFILE_FILE: file,
    POLICY_API_TOKENS: 'planner:0123456789abcdef,bot:token-of-the-bot-1234,fedcba9876543210',
  });
  await rm(folder, { recursive: true });
  const ask = (token: string, path: string, body?: string) =>
    postCheck(policy.url, body ?? '{}', { authorization: `Bearer ${token}` }, path);
  for (const token of ['0123456789abcdef', 'token-of-the-bot-1234', 'fedcba9876543210'])
    await ask(token, '/policy/check');
  await ask('0123456789abcdef', '/policy/check/batch', '{"checks":[{},{},{"unknown":1}]}');
  const series = (labels: string, count: number) => [
    `policy_decisions_total{decision="require_approval",${labels}} ${count}`,
    ...['spend_limit', 'pii_guardrail', 'legal_compliance'].map(
      (rule) =>
        `policy_rule_outcomes_total{rule="${rule}",outcome="require_approval",${labels}} ${count}`,
    ),
  ];
  const expected = [
    ...series('caller="",profile="a"', 1),
    ...series('caller="bot",profile="a"', 1),
    ...series('caller="planner",profile="b"', 3),
  ];
  for (const _scrape of [1, 2])
    expect((await samplesOf(policy.url, 'fedcba9876543210')).sort()).toEqual(expected.sort());
});

it('shows zero from the start for unnamed callers under the default profile', async () => {
  await using server = await startPolicy();
  const text = await (await fetch(`${server.url}/metrics`)).text();
  for (const decision of ['allow', 'require_approval', 'deny'])
    expect(text).toContain(`policy_decisions_total{decision="${decision}",${BY_DEFAULT}} 0\n`);
  expect(text.match(/^policy_rule_outcomes_total\{.* 0$/gm)).toHaveLength(12);
});

it('does not count a refused request as a decision', async () => {
  await using server = await startPolicy();
  await postCheck(server.url, '{"spend":1}');
  expect(await samplesOf(server.url)).toEqual([]);
});
