import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, startService, startUpstream } from '@gatehouse/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

const page = readFileSync(new URL('../../../docs/agents.md', import.meta.url), 'utf8');
/** The page's files: the tool for LangChain, and the `approve` for LangGraph. */
const blocks = [...page.matchAll(/^```js\n(.*?)^```/gms)].map(([, js = '']) => js);
const blockWith = (text: string) => blocks.find((block) => block.includes(text)) ?? expect.fail();
const recipe = blockWith('orderTool');
const approve = blockWith('interrupt(');
const client = fileURLToPath(new URL('../../../packages/client', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'gatehouse-langchain-'));
const profile = join(project, 'profile.json');

/**
 * Program that calls the tool as a model would, and prints each result with the approval questions
 * asked.
 */
const DRIVER = `
import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { createExecutorClient, createGate, createPolicyClient } from '@gatehouse/client';
import { AIMessage } from '@langchain/core/messages';
import { Command, MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { approve } from './approve.mjs';
import { orderTool } from './recipe.mjs';

const { POLICY_URL, EXECUTOR_URL, SHOP_URL, PROFILE } = process.env;
const policy = createPolicyClient({ url: POLICY_URL });
const executor = createExecutorClient({ url: EXECUTOR_URL });
const unreachable = createPolicyClient({ url: 'http://127.0.0.1:1', timeoutMs: 100 });

const order = async (product, approve, { client = policy, shop = SHOP_URL } = {}) => {
  const asked = [];
  const ask = approve && (({ reason }) => (asked.push(reason), approve()));
  const tool = orderTool(createGate({ policy: client, executor }), ask, shop);
  const call = { type: 'tool_call', id: '1', name: 'order', args: { product } };
  const told = await tool.invoke(call).catch(({ message }) => ({ content: message }));
  console.log(JSON.stringify({ told: told.content, asked }));
};
await order('lamp');
await order('chair', () => true);
await order('chair', async () => false);
await order('chair', () => 'yes');
await order('chair');
await order('sofa', () => true);
await order('yacht', () => true);
await order('lamp', () => true, { shop: 'http://169.254.169.254' });
await order('lamp', () => true, { client: unreachable });

const gate = createGate({ policy, executor });
const tool = orderTool(gate, approve, SHOP_URL);
const tool_calls = [{ id: '1', name: 'order', args: { product: 'chair' } }];
const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', () => ({ messages: [new AIMessage({ content: '', tool_calls })] }))
  .addNode('tools', new ToolNode([tool]))
  .addEdge('__start__', 'model')
  .addEdge('model', 'tools')
  .compile({ checkpointer: new MemorySaver() });

const invoke = async (thread_id, input) => {
  const state = await graph.invoke(input, { configurable: { thread_id } });
  const question = state.__interrupt__?.[0].value;
  const told = question === undefined ? state.messages.at(-1).content : undefined;
  console.log(JSON.stringify({ told, asked: question === undefined ? [] : [question.reason] }));
  return question?.digest;
};
const start = (thread) => invoke(thread, { messages: [] });
const answer = (thread, resume) => invoke(thread, new Command({ resume }));
const setLimit = async (limit) => {
  writeFileSync(PROFILE, JSON.stringify({ name: 'at-' + limit, spend: { limit_major_units: limit } }));
  while ((await policy.profile()).profile.name !== 'at-' + limit) await setTimeout(20);
};

const approved = { digest: await start('approved'), approved: true };
await answer('approved', { digest: 'another', approved: true });
await answer('approved', approved);
await answer('approved', approved);

await answer('declined', { digest: await start('declined'), approved: false });

const stale = { digest: await start('changed'), approved: true };
await setLimit(80);
const digest = await answer('changed', stale);
await answer('changed', { digest, approved: true });

const late = { digest: await start('denied'), approved: true };
writeFileSync(PROFILE, JSON.stringify({ name: 'denying', spend: { ceiling_major_units: 200 } }));
while ((await policy.profile()).profile.name !== 'denying') await setTimeout(20);
await answer('denied', late);
`;

beforeAll(() => {
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(project, 'recipe.mjs'), recipe);
  writeFileSync(join(project, 'approve.mjs'), approve);
  writeFileSync(profile, '{ "name": "shop" }');
  writeFileSync(join(project, 'driver.mjs'), DRIVER);
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const names = ['@langchain/core@1.4.0', '@langchain/langgraph@1.7.3', 'zod@4.6.7'];
  execFileSync('npm', ['install', ...flags, ...names], { cwd: project, timeout: 120_000 });
  mkdirSync(join(project, 'node_modules/@gatehouse'));
  symlinkSync(client, join(project, 'node_modules/@gatehouse/client'));
});
afterAll(() => rmSync(project, { recursive: true }));

it('the tool for LangChain and LangGraph sends only allowed or approved requests', async () => {
  await using shop = await startUpstream({ status: 201, body: { order: 1 } });
  const env = { HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop.port}` };
  await using policy = await startService('policy', { POLICY_PROFILE_FILE: profile });
  await using executor = await startService('executor', env);
  const urls = { POLICY_URL: policy.url, EXECUTOR_URL: executor.url, SHOP_URL: shop.origin };
  const settings = { ...urls, PROFILE: profile };
  await using driver = startProcess(join(project, 'driver.mjs'), { env: settings });
  await driver.ended;
  const above = (limit: number) =>
    `spend_limit: EUR 250.00 is above the limit of EUR ${limit}.00 and needs approval.`;
  const question = (limit: number) => [undefined, [above(limit)]];
  const answers = [
    ['"executed"', []],
    ['"executed"', [above(100)]],
    ['"declined":true', [above(100)]],
    ['"declined":true', [above(100)]],
    ['"advice":"Do not repeat the order. Tell the user', []],
    ['"denied"', []],
    ['did not match expected schema', []],
    ['"refused"', []],
    ['"denied"', []],
    // The thread `approved`: the answer to another question changes nothing.
    ...[question(100), question(100), ['"executed"', []], ['"executed"', []]],
    // The thread `declined`.
    ...[question(100), ['"declined":true', []]],
    // The thread `changed`: the approval is for the old limit, so a person is asked again.
    ...[question(100), question(80), ['"executed"', []]],
    // The thread `denied`: the approved action is above the new ceiling.
    ...[question(80), ['"denied"', []]],
  ];
  expect(driver.stderr).toBe('');
  expect(driver.lines()).toEqual(
    answers.map(([told, asked]) => ({
      ...(told !== undefined && { told: expect.stringContaining(`${told}`) }),
      asked,
    })),
  );
  expect(shop.requests.map(({ body }) => body)).toEqual(
    ['lamp', 'chair', 'chair', 'chair'].map((product) => JSON.stringify({ product })),
  );
});
