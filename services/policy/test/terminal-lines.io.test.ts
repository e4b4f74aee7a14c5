import { loggerTo, terminalLines as readable } from '@gatehouse/service';
import { expect, it } from 'vitest';
import { buildApp } from '../src/app.ts';
import { terminalLines } from '../src/terminal-lines.ts';

const SPEND = { amount_minor_units: 100, currency: 'EUR' };
const NOTHING = { spend: SPEND, pii: { categories: [] }, legal: { flags: [] } };

it.each<[name: string, body: object, shown: RegExp]>([
  ['an allow', NOTHING, /^allow [\d.]+ ms profile=default digest=[\da-f]{8} req.*…$/],
  [
    'a deny by one rule',
    { ...NOTHING, pii: { categories: ['biometric'] } },
    /^deny pii_guardrail [\d.]+ ms pii\.categories=biometric profi.*…$/,
  ],
  [
    'a deny by two rules, beside an approval',
    { pii: { categories: ['biometric'] }, legal: { flags: ['prohibited_content'] } },
    /^deny pii_guardrail legal_compliance [\d.]+ ms pii\.c.*…$/,
  ],
  [
    'an approval',
    { ...NOTHING, connector: {} },
    /^require_approval connector_scope [\d.]+ ms profile=default/,
  ],
  ['a malformed one', { spend: 1 }, /^refused InvalidRequest POST \/policy\/check [\d.]+ ms reque/],
  [
    'a batch',
    { checks: [NOTHING, {}, NOTHING, { legal: { flags: ['prohibited_content'] } }, { x: 1 }] },
    /^1 deny, 1 require_approval, 2 allow, 1 InvalidRequest [\d.]+ /,
  ],
])('at 80 columns, %s begins with its decision', async (_name, body, shown) => {
  const show = readable(terminalLines, () => 80);
  const lines: string[] = [];
  const logger = loggerTo({ write: (text) => lines.push(show(text)) }, 'info', 'policy');
  await using app = buildApp({ logger });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const path = 'checks' in body ? '/policy/check/batch' : '/policy/check';
  const headers = { 'content-type': 'application/json' };
  await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  await expect.poll(() => lines).toHaveLength(1);
  const [line = ''] = lines;
  expect(line.trimEnd().length).toBeLessThanOrEqual(80);
  expect(line.slice('HH:MM:ss policy   '.length).trimEnd()).toMatch(shown);
});
