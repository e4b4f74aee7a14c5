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

const TOO_LARGE = expect.stringMatching(/larger than 8 MiB.*one page.*one file.*its URL/);

it('an outcome that is too large for a tool result becomes a failure that says so', async () => {
  const MIB = 1024 * 1024;
  // Each backslash becomes two in JSON, and four in a JSON string that contains JSON.
  for (const [body, state] of [
    ['x'.repeat(3 * MIB), { outcome: 'success' }],
    ['\\'.repeat(MIB), { outcome: 'success' }],
    ['x'.repeat(7 * MIB), { outcome: 'success' }],
    ['x'.repeat(9 * MIB), { error: 'ResponseTooLarge', status: 200, message: TOO_LARGE }],
    ['\\'.repeat(2 * MIB + 1), { error: 'ResponseTooLarge', status: 200, message: TOO_LARGE }],
  ] as const) {
    const more = { status: 200, headers: {}, body, attempts: 1, history: [] };
    await using executor = await startUpstream({ body: { outcome: 'success', ...more } });
    await using mcp = await startMcp({ args: ['--executor-url', executor.origin] });
    await using host = await httpHost(mcp);
    const result = await host.request({ method: 'GET', url: 'http://a.example/', ...HARMLESS });
    expect(result.answer).toMatchObject({ state: 'executed', outcome: state });
  }
});
