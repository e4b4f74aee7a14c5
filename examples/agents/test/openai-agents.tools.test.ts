import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, startService, startUpstream } from '@gatehouse/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

const page = readFileSync(new URL('../../../docs/agents.md', import.meta.url), 'utf8');
const [, recipe = ''] =
  /^```js\n(import { tool } from '@openai\/agents'.*?)^```/ms.exec(page) ?? [];
const client = fileURLToPath(new URL('../../../packages/client', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'gatehouse-openai-'));
const profile = join(project, 'profile.json');

/** Program with a model that orders one product, and then says what the tool told it. */
const DRIVER = `
import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { createExecutorClient, createGate, createPolicyClient } from '@gatehouse/client';
import { Agent, Runner, Usage } from '@openai/agents';
import { orderTool } from './recipe.mjs';

const { POLICY_URL, EXECUTOR_URL, SHOP_URL, PROFILE } = process.env;
const policy = createPolicyClient({ url: POLICY_URL });
const executor = createExecutorClient({ url: EXECUTOR_URL });
const { order, questions } = orderTool(createGate({ policy, executor }), SHOP_URL);
const runner = new Runner({ tracingDisabled: true });

const modelFor = (product, callId) => ({
  getResponse: async ({ input }) => {
    const result = input.findLast?.((item) => item.type === 'function_call_result');
    const text = JSON.stringify(result?.output.text ?? result?.output);
    const call = { type: 'function_call', callId, name: 'order', status: 'completed' };
    const content = [{ type: 'output_text', text: text ?? '' }];
    const said = { type: 'message', role: 'assistant', status: 'completed', content };
    const asked = { ...call, arguments: JSON.stringify({ product }) };
    return { usage: new Usage(), output: [result ? said : asked] };
  },
});
const start = async (product, callId) => {
  const agent = new Agent({ name: 'buyer', model: modelFor(product, callId), tools: [order] });
  return { agent, result: await runner.run(agent, 'Order it.') };
};
const print = (result) => {
  const asked = result.interruptions.map(({ rawItem }) => questions.get(rawItem.callId).reason);
  const told = asked.length === 0 ? result.finalOutput : undefined;
  console.log(JSON.stringify({ told, asked }));
};
const answer = async ({ agent, result }, approved) => {
  print(result);
  const { state, interruptions } = result;
  for (const each of interruptions) approved ? state.approve(each) : state.reject(each);
  print(await runner.run(agent, state));
};
const setProfile = async (name, spend) => {
  writeFileSync(PROFILE, JSON.stringify({ name, spend }));
  while ((await policy.profile()).profile.name !== name) await setTimeout(20);
};

print((await start('lamp', '1')).result);
print((await start('sofa', '2')).result);
await answer(await start('chair', '3'), true);
await answer(await start('chair', '4'), false);
const stale = await start('chair', '5');
await setProfile('stricter', { limit_major_units: 80 });
await answer(stale, true);
const late = await start('chair', '6');
await setProfile('denying', { ceiling_major_units: 200 });
await answer(late, true);
`;

beforeAll(() => {
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(project, 'recipe.mjs'), recipe);
  writeFileSync(join(project, 'driver.mjs'), DRIVER);
  writeFileSync(profile, '{ "name": "shop" }');
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const names = ['@openai/agents@0.20.0', 'zod@4.6.7'];
  execFileSync('npm', ['install', ...flags, ...names], { cwd: project, timeout: 120_000 });
  mkdirSync(join(project, 'node_modules/@gatehouse'));
  symlinkSync(client, join(project, 'node_modules/@gatehouse/client'));
});
afterAll(() => rmSync(project, { recursive: true }));

it('the tool for OpenAI Agents sends only allowed or approved requests', async () => {
  await using shop = await startUpstream({ status: 201, body: { order: 1 } });
  const allowed = { HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop.port}` };
  await using policy = await startService('policy', { POLICY_PROFILE_FILE: profile });
  await using executor = await startService('executor', allowed);
  const urls = { POLICY_URL: policy.url, EXECUTOR_URL: executor.url, SHOP_URL: shop.origin };
  const env = { ...urls, PROFILE: profile };
  await using driver = startProcess(join(project, 'driver.mjs'), { env });
  await driver.ended;
  const question = (limit: number) => ({
    asked: [expect.stringContaining(`EUR 250.00 is above the limit of EUR ${limit}.00`)],
  });
  const told = (text: string) => ({ told: expect.stringContaining(text), asked: [] });
  expect(driver.stderr).toBe('');
  expect(driver.lines()).toEqual([
    told('executed'),
    told('denied'),
    ...[question(100), told('executed')],
    ...[question(100), told('not approved')],
    // The limit changed from EUR 100 to EUR 80, so the person approved another reason.
    ...[question(100), told('Call the tool again.')],
    ...[question(80), told('denied')],
  ]);
  expect(shop.requests.map(({ body }) => body)).toEqual(
    ['lamp', 'chair'].map((product) => JSON.stringify({ product })),
  );
});
