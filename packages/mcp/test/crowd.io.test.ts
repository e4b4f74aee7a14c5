import { spawn } from 'node:child_process';
import { startUpstream } from '@gatehouse/testing';
import { expect, it, onTestFinished } from 'vitest';
import { COSTS, HARMLESS, httpHost, MAIN, startMcp, stdioHost, textOf } from './support/host.ts';

const MIB = 1024 * 1024;
const POLLED = { timeout: 20_000 };
const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};

/** A message, as long as it is told to be. */
const line = (id: number, method: string, params: object, bytes = 0) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params }).padEnd(bytes)}\n`;

it('a message over stdio that is too long is ignored, and calls in flight are answered', async () => {
  const open: (() => void)[] = [];
  await using shop = await startUpstream((_request, response) => {
    open.push(() => response.writeHead(200, { 'content-type': 'application/json' }).end('7'));
  });
  const args = ['--allowed-hosts', `127.0.0.1:${shop.port}`];
  const mcp = spawn(process.execPath, [MAIN, ...args], { stdio: 'pipe' });
  onTestFinished(() => void mcp.kill());
  const said = { stdout: '', stderr: '' };
  mcp.stdout.on('data', (chunk) => (said.stdout += chunk));
  mcp.stderr.on('data', (chunk) => (said.stderr += chunk));
  const printed = (text: string) => expect.poll(() => said.stdout, POLLED).toContain(text);
  const call = (id: number, body: string) =>
    line(id, 'tools/call', {
      name: 'http_request',
      arguments: { method: 'POST', url: shop.origin, body, ...HARMLESS },
    });
  const write = (text: string) => mcp.stdin.write(text);
  write(line(1, 'initialize', INITIALIZE));
  await printed('"id":1');
  write(call(2, 'x'));
  await expect.poll(() => open.length, POLLED).toBe(1);
  write(call(3, 'x'.repeat(11 * MIB)));
  write(line(4, 'tools/list', {}, 8 * MIB));
  await printed('"id":4');
  write(line(5, 'tools/list', {}, 8 * MIB + 1));
  write(line(6, 'tools/list', {}));
  await printed('"id":6');
  for (const answer of open) answer();
  await printed('"id":2');
  expect(said.stderr.match(/a message of more than 8388608 bytes was ignored/g)).toHaveLength(2);
  expect(open).toHaveLength(1);
});

it('asks the user five questions at once, whatever the model calls', async () => {
  await using shop = await startUpstream({ body: {} });
  const args = ['--allowed-hosts', `127.0.0.1:${shop.port}`];
  for (const era of ['legacy', 'modern'] as const) {
    const answers: (() => void)[] = [];
    const user = () =>
      new Promise<{ action: 'accept'; content: object }>((resolve) => {
        answers.push(() => resolve({ action: 'accept', content: {} }));
      });
    await using host = await stdioHost({ args }, { era, user: user as never });
    const pay = { method: 'POST', url: shop.origin, ...COSTS(20_000) };
    const states: string[] = [];
    const calls = Array.from({ length: 40 }, async () => {
      const result = await host.request(pay);
      states.push(textOf(result));
    });
    await expect.poll(() => states.length, POLLED).toBe(35);
    expect(answers).toHaveLength(5);
    for (const text of states) expect(text).toMatch(/5 questions wait for the user already/);
    for (const answer of answers) answer();
    await Promise.all(calls);
    expect(states.slice(35)).toEqual(Array(5).fill(expect.stringMatching(/status 200/)));
  }
});

it('a host with 100 sessions that listen keeps no other out', async () => {
  await using mcp = await startMcp();
  const headers = {
    ...{ 'content-type': 'application/json' },
    accept: 'application/json, text/event-stream',
  };
  const initialize = async () => {
    const body = line(1, 'initialize', INITIALIZE);
    const response = await fetch(mcp.url, { method: 'POST', headers, body });
    await response.text();
    return { status: response.status, session: response.headers.get('mcp-session-id') ?? '' };
  };
  const listening = new AbortController();
  const streams: Response[] = [];
  for (let each = 0; each < 100; each++) {
    const { session } = await initialize();
    const { signal } = listening;
    const sent = { ...headers, 'mcp-session-id': session };
    streams.push(await fetch(mcp.url, { headers: sent, signal }));
  }
  expect(streams.every(({ status }) => status === 200)).toBe(true);
  expect(await initialize()).toMatchObject({ status: 200 });
  await using host = await httpHost(mcp);
  expect(await host.call('check_policy', HARMLESS)).toMatchObject({ isError: false });
  listening.abort();
});

it('a host with 50 calls in flight gets no more, and leaves room for others', async () => {
  await using shop = await startUpstream(() => {});
  await using mcp = await startMcp({ args: ['--allowed-hosts', `127.0.0.1:${shop.port}`] });
  await using greedy = await httpHost(mcp);
  await using other = await httpHost(mcp);
  const gone = new AbortController();
  const get = { method: 'GET', url: shop.origin, ...HARMLESS };
  const refused: string[] = [];
  const calls = Array.from({ length: 60 }, async () => {
    const call = { name: 'http_request', arguments: get };
    refused.push(textOf(await greedy.client.callTool(call, { signal: gone.signal })));
  });
  const settled = Promise.allSettled(calls);
  await expect.poll(() => refused.length, POLLED).toBe(10);
  for (const text of refused) expect(text).toMatch(/^Nothing was checked or sent: 50 calls are in/);
  expect(await other.call('check_policy', HARMLESS)).toMatchObject({ isError: false });
  gone.abort();
  await settled;
});
