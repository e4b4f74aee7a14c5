import { shared, startService } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { postCheck, startPolicy } from './support/policy-server.ts';

const post = async (url: string, body: string, path = '/policy/check') => {
  const response = await postCheck(url, body, { 'x-request-id': 'step-3' }, path);
  const answer = (await response.json()) as Record<string, unknown> & { results: unknown[] };
  return { status: response.status, headers: response.headers, answer };
};
const postBatch = (url: string, checks: readonly string[], query = '') =>
  post(url, `{"checks":[${checks.join(',')}]}`, `/policy/check/batch${query}`);

const spend = (amount: string, more = '') =>
  `{"spend":{"amount_minor_units":${amount},"currency":"EUR"${more}}}`;

/** Texts of checks, valid and malformed. */
const CHECKS = [
  '{}',
  '{"request_id":"plan-7","pii":{"categories":["health"]},"connector":{"scope":"mcp://root"}}',
  spend('8750'),
  spend('1e2'),
  spend('9007199254740991'),
  spend('9007199254740992'),
  spend('100.0'),
  spend('-0'),
  '{"request_id":"1.5 of 1e9 and 12345678901234567890","legal":{"flags":[]}}',
  '{"spent":{},"pii":{"categories":["x"]}}',
  `{${Array.from({ length: 30 }, (_, n) => `"m${n}":1`).join(',')}}`,
  'null',
  '[]',
  '"text"',
  '{"spend":null,"connector":{"scope":"mcp://t\u00e9am"}}',
  '{"action":null}',
  '{"action":5}',
  '{"action":{"method":"GET","url":"https://a.test/","query":{"a":1.0,"b":9007199254740993}}}',
  '{"action":{"method":"POST","url":"https://a.test/","body":{"a":1.0,"action":{"b":1e400}}}}',
  '{"action":{"method":"GET","url":"https://a.test/","max_bytes":64.00000000000000001}}',
];

const SECOND_AMOUNT = '/checks/1/spend/amount_minor_units';

const server = shared(startPolicy);

describe('a batch', () => {
  it('returns for each check, in order, the answer it would get alone', async () => {
    for (const query of ['', '?explain=true']) {
      const { status, headers, answer } = await postBatch(server().url, CHECKS, query);
      expect([status, Object.keys(answer)]).toEqual([200, ['results']]);
      expect(answer.results).toHaveLength(CHECKS.length);
      for (const [place, check] of CHECKS.entries()) {
        const alone = await post(server().url, check, `/policy/check${query}`);
        expect([check, answer.results[place]]).toEqual([check, alone.answer]);
        const digest = alone.headers.get('x-policy-digest') ?? headers.get('x-policy-digest');
        expect(headers.get('x-policy-digest')).toBe(digest);
      }
    }
  });

  it('has from 1 to 100 checks', async () => {
    const many = (count: number) => Array.from({ length: count }, () => '{}');
    for (const count of [1, 100]) {
      const { status, answer } = await postBatch(server().url, many(count));
      expect([status, answer.results.length]).toEqual([200, count]);
    }
    for (const [count, message] of [
      [0, 'must have at least 1 item'],
      [101, 'must have at most 100 items'],
    ] as const)
      expect(await postBatch(server().url, many(count))).toMatchObject({
        status: 400,
        answer: { code: 'InvalidRequest', errors: [{ pointer: '/checks', message }] },
      });
  });

  it.each([
    ['{}', 'InvalidRequest', '/checks'],
    ['[]', 'InvalidRequest', ''],
    ['{"checks":null}', 'InvalidRequest', '/checks'],
    ['{"checks":{}}', 'InvalidRequest', '/checks'],
    ['{"checks":"[]"}', 'InvalidRequest', '/checks'],
    ['{"checks":[{}],"explain":true}', 'InvalidRequest', '/explain'],
    ['{"checks":[{}],"more":1e400}', 'InvalidRequest', '/more'],
    [`{"checks":[{},${spend('9007199254740993')}]}`, 'InvalidRequest', SECOND_AMOUNT],
    [`{"checks":[{},${spend('10000.0000000000001')}]}`, 'InvalidRequest', SECOND_AMOUNT],
    ['{"checks":[{}', 'MalformedJson', undefined],
    ['{"checks":[{}],"checks":[{}]}', 'MalformedJson', '/checks'],
    ['{"checks":[{},{"pii":null,"pii":null}]}', 'MalformedJson', '/checks/1/pii'],
    ['{"checks":[{"__proto__":null}]}', 'MalformedJson', undefined],
  ])('is refused as a whole if its body is %s', async (body, code, pointer) => {
    const { status, answer } = await post(server().url, body, '/policy/check/batch');
    expect([status, answer.code]).toEqual([400, code]);
    if (pointer !== undefined) expect(answer.errors).toMatchObject([{ pointer }]);
  });

  it('may have 1 MiB, like a single check', async () => {
    const padded = (text: string, bytes: number) => text.padEnd(bytes, ' ');
    for (const [bytes, status] of [
      [1_048_576, 200],
      [1_048_577, 413],
    ] as const) {
      const batch = padded('{"checks":[{}]}', bytes);
      expect((await post(server().url, batch, '/policy/check/batch')).status).toBe(status);
      expect((await post(server().url, padded('{}', bytes))).status).toBe(status);
    }
  });

  it('counts each check and logs one line', async () => {
    await using policy = await startService('policy');
    await postBatch(policy.url, ['{}', '{"spent":1}', '{"legal":{"flags":["other"]}}']);
    const metrics = await (await fetch(`${policy.url}/metrics`)).text();
    expect(metrics).toContain(
      'policy_decisions_total{decision="require_approval",caller="",profile="default"} 2\n',
    );
    await policy.stop();
    const [line, ...others] = policy.lines().filter(({ msg }) => msg === 'checks');
    expect(others).toEqual([]);
    const missing = { outcome: 'require_approval', code: 'section_missing' };
    const rules = { spend_limit: missing, pii_guardrail: missing, legal_compliance: missing };
    expect(line).toMatchObject({ path: '/policy/check/batch', status: 200, profile: 'default' });
    expect(line?.checks).toEqual([
      { decision: 'require_approval', rules },
      { code: 'InvalidRequest' },
      {
        decision: 'require_approval',
        rules: { ...rules, legal_compliance: { outcome: 'allow', code: 'flags_allowed' } },
        legal: { flags: ['other'] },
      },
    ]);
  });
});
