import { expect, it } from 'vitest';
import { postCheck, startPolicy } from './support/policy-server.ts';

async function samplesOf(url: string): Promise<string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => /^policy_(?:decisions|rule)/.test(line) && !line.endsWith(' 0'));
}

const ALLOWED = {
  spend: { amount_minor_units: 1, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
};

it('counts decisions and the outcomes of each rule', async () => {
  await using server = await startPolicy();
  await postCheck(server.url, JSON.stringify(ALLOWED));
  await postCheck(server.url, JSON.stringify({ ...ALLOWED, connector: { scope: 'mcp://root' } }));
  await postCheck(server.url, JSON.stringify({ ...ALLOWED, pii: null }));
  await postCheck(server.url, JSON.stringify({ ...ALLOWED, pii: null }));
  expect(await samplesOf(server.url)).toEqual([
    'policy_decisions_total{decision="allow"} 1',
    'policy_decisions_total{decision="require_approval"} 2',
    'policy_decisions_total{decision="deny"} 1',
    'policy_rule_outcomes_total{rule="spend_limit",outcome="allow"} 4',
    'policy_rule_outcomes_total{rule="pii_guardrail",outcome="allow"} 2',
    'policy_rule_outcomes_total{rule="pii_guardrail",outcome="require_approval"} 2',
    'policy_rule_outcomes_total{rule="legal_compliance",outcome="allow"} 4',
    'policy_rule_outcomes_total{rule="connector_scope",outcome="deny"} 1',
  ]);
});

it('does not count a refused request as a decision', async () => {
  await using server = await startPolicy();
  await postCheck(server.url, '{"spend":1}');
  expect(await samplesOf(server.url)).toEqual([]);
});
