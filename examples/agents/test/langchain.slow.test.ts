import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, startService, startUpstream } from '@gatehouse/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

const page = readFileSync(new URL('../../../docs/agents.md', import.meta.url), 'utf8');
const [, recipe = ''] = /^```js\n(.*?)^```/ms.exec(page) ?? [];
const client = fileURLToPath(new URL('../../../packages/client', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'gatehouse-langchain-'));

/**
 * Program that calls the tool as a model would, and prints each result with the approval questions
 * asked.
 */
const DRIVER = `
import { createExecutorClient, createGate, createPolicyClient } from '@gatehouse/client';
import { AIMessage } from '@langchain/core/messages';
import { Command, interrupt, MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { orderTool } from './recipe.mjs';

const { POLICY_URL, EXECUTOR_URL, SHOP_URL } = process.env;
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
const ask = ({ reason, digest }) => interrupt({ reason, digest }) === digest;
const tool = orderTool(gate, ask, SHOP_URL);
const tool_calls = [{ id: '1', name: 'order', args: { product: 'chair' } }];
const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', () => ({ messages: [new AIMessage({ content: '', tool_calls })] }))
  .addNode('tools', new ToolNode([tool]))
  .addEdge('__start__', 'model')
  .addEdge('model', 'tools')
  .compile({ checkpointer: new MemorySaver() });
for (const approved of [true, false]) {
  const thread = { configurable: { thread_id: String(approved) } };
  const stopped = await graph.invoke({ messages: [] }, thread);
  const [{ value: { reason, digest } }] = stopped.__interrupt__;
  const asked = [reason];
  for (const resume of [approved ? digest : true, digest]) {
    const { messages } = await graph.invoke(new Command({ resume }), thread);
    console.log(JSON.stringify({ told: messages.at(-1).content, asked }));
  }
}
`;

beforeAll(() => {
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(project, 'recipe.mjs'), recipe);
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
  await using policy = await startService('policy');
  await using executor = await startService('executor', env);
  const urls = { POLICY_URL: policy.url, EXECUTOR_URL: executor.url, SHOP_URL: shop.origin };
  await using driver = startProcess(join(project, 'driver.mjs'), { env: urls });
  await driver.ended;
  const limit = 'spend_limit: EUR 250.00 is above the limit of EUR 100.00 and needs approval.';
  const states = [
    ['"executed"', []],
    ['"executed"', [limit]],
    ['"needs_approval"', [limit]],
    ['"needs_approval"', [limit]],
    ['"needs_approval"', []],
    ['"denied"', []],
    ['did not match expected schema', []],
    ['"refused"', []],
    ['"denied"', []],
    ['"executed"', [limit]],
    ['"executed"', [limit]],
    ['"needs_approval"', [limit]],
    ['"needs_approval"', [limit]],
  ];
  expect(driver.lines()).toEqual(
    states.map(([told, asked]) => ({ told: expect.stringContaining(`${told}`), asked })),
  );
  expect(driver.stderr).toBe('');
  expect(shop.requests.map(({ body }) => body)).toEqual(
    ['lamp', 'chair', 'chair'].map((product) => JSON.stringify({ product })),
  );
});
