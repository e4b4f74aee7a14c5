import { startService, startUpstream } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { HARMLESS, httpHost, startMcp, textOf } from './support/host.ts';

it('works with the services and their tokens, under one request id in all logs', async () => {
  await using shop = await startUpstream({ body: { id: 7 } });
  await using policy = await startService('policy', { POLICY_API_TOKENS: 'policy-token' });
  await using executor = await startService('executor', {
    HTTP_EXECUTOR_API_TOKENS: 'executor-token',
    HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop.port}`,
  });
  await using mcp = await startMcp({
    args: ['--policy-url', policy.url, '--executor-url', executor.url],
    env: { GATEHOUSE_POLICY_TOKEN: 'policy-token', GATEHOUSE_EXECUTOR_TOKEN: 'executor-token' },
  });
  const questions: string[] = [];
  const user = (question: string) => {
    questions.push(question);
    return { action: 'accept', content: {} } as const;
  };
  await using host = await httpHost(mcp, { user });
  const get = { method: 'GET', url: `${shop.origin}/`, ...HARMLESS };
  const { answer } = await host.request(get);
  expect(answer).toMatchObject({ state: 'executed', outcome: { body: { id: 7 } } });
  for (const service of [policy, executor])
    await expect
      .poll(() => service.lines())
      .toContainEqual(expect.objectContaining({ request_id: answer.request_id }));
  const refused = await host.request({ ...get, url: 'http://127.0.0.1:8080/' });
  expect(refused.answer).toMatchObject({ problem: { code: 'HostNotAllowed' } });
  const risky = { ...get, pii: { categories: ['health'] } };
  const elsewhere = await host.request({ ...risky, url: 'http://127.0.0.1:8080/' });
  expect(elsewhere.answer).toMatchObject({ problem: { code: 'HostNotAllowed' } });
  expect(questions).toHaveLength(0);
  expect((await host.request(risky)).answer).toMatchObject({ state: 'executed' });
  expect(questions).toHaveLength(1);
  expect(mcp.stderr).toMatch(/"approval":"(\w+)","state":"asking".*"\1","state":"executed"/s);
  await using stranger = await startMcp({ args: ['--executor-url', executor.url] });
  await using unknown = await httpHost(stranger);
  const rejected = await unknown.request(get);
  expect(rejected.answer).toMatchObject({ problem: { code: 'Unauthorized' } });
  expect(textOf(rejected)).toMatch(/before it was sent\. .*operator.*GATEHOUSE_EXECUTOR_TOKEN/);
  expect(JSON.stringify(rejected)).not.toContain('Send a');

  executor.signal('SIGKILL');
  await executor.ended;
  const unanswered = await host.request(get);
  const state = { state: 'unanswered', maybe_sent: false };
  expect(unanswered).toMatchObject({ isError: true, answer: state });
  const unasked = await host.request(risky);
  expect(unasked).toMatchObject({ isError: true, answer: state });
  expect(textOf(unasked)).toMatch(/cannot be reached .* no one was asked for approval\.$/m);
  expect(questions).toHaveLength(1);
  policy.signal('SIGKILL');
  await policy.ended;
  const denied = await host.request(get);
  const denial = { state: 'denied', rules: [] };
  expect(denied).toMatchObject({ isError: true, answer: denial });
  expect(textOf(denied)).toMatch(/no usable answer, which counts as a denial\. Nothing was sent\./);
  expect(textOf(denied)).toMatch(/Repeat the call later.*operator.*GATEHOUSE_POLICY_TOKEN`\.$/m);
  const checked = await host.call('check_policy', HARMLESS);
  expect(checked.isError).toBe(true);
  expect(textOf(checked)).toMatch(/as denied\. .*cannot be reached/);
  expect(mcp.stderr).toMatch(/"state":"unanswered".*"error":"The executor .* cannot be reached/);
  expect(mcp.stderr).toMatch(/"state":"denied".*"error":"The policy service .* cannot be reached/);
  expect(mcp.output).not.toMatch(/policy-token|executor-token|no effect/);
  expect(shop.requests).toHaveLength(2);
});

it.each([
  ['default', {}, 20_000],
  ['the choice of the model', { max_bytes: 2_097_152 }, 2_097_152],
  [
    'at most 2 MiB, because hosts read lines of at most 10 MiB',
    { max_bytes: 2_097_153 },
    2_097_152,
  ],
])('limits the body of an answer: %s', async (_name, chosen, max_bytes) => {
  const outcome = { outcome: 'success', status: 200, headers: {}, attempts: 1, history: [] };
  await using executor = await startUpstream({ body: { ...outcome, body: 1 } });
  await using mcp = await startMcp({ args: ['--executor-url', executor.origin] });
  await using host = await httpHost(mcp);
  await host.request({ method: 'GET', url: 'http://a.example/', ...chosen, ...HARMLESS });
  expect(JSON.parse(executor.requests.at(-1)?.body ?? '')).toMatchObject({ max_bytes });
});

it.each([
  ['numbers that JavaScript writes with more digits', '1e20'],
  ['strings of characters that need an escape', '"\\\\\\\\"'],
])('a tool result stays below 10 MiB with %s', async (_name, item) => {
  const limit = 2 * 1024 * 1024;
  const items = Math.floor((limit - 1) / (item.length + 1));
  const body = `[${Array(items).fill(item).join(',')}]`;
  await using upstream = await startUpstream({ body });
  const { host: allowed } = new URL(upstream.origin);
  const args = ['--allowed-hosts', allowed, '--max-response-bytes', String(limit)];
  await using mcp = await startMcp({ args });
  await using host = await httpHost(mcp);
  const action = { method: 'GET', url: upstream.origin, max_bytes: limit };
  const result = await host.request({ ...action, ...HARMLESS });
  expect(textOf(result)).toContain('The upstream answered with status 200.');
  const { length } = JSON.stringify(result.content);
  expect(length).toBeGreaterThan(1.5 * limit);
  expect(length).toBeLessThan(10 * 1024 * 1024);
});
