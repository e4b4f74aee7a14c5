import { startUpstream } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import {
  COSTS,
  HARMLESS,
  httpHost,
  INITIALIZE,
  startMcp,
  stdioHost,
  textOf,
} from './support/host.ts';

const MIB = 1024 * 1024;
const POLLED = { timeout: 20_000 };

it('a call of 11 MiB over stdio is refused, and calls in flight are answered', async () => {
  const open = Promise.withResolvers<() => void>();
  await using shop = await startUpstream((_request, response) => {
    open.resolve(() => response.writeHead(200, { 'content-type': 'application/json' }).end('7'));
  });
  await using host = await stdioHost({ args: ['--allowed-hosts', `127.0.0.1:${shop.port}`] });
  const send = (body: string) =>
    host.request({ method: 'POST', url: shop.origin, body, ...HARMLESS });
  const inFlight = send('x');
  const answer = await open.promise;
  expect(textOf(await send('x'.repeat(11 * MIB)))).toMatch(/longer than 262144 bytes/);
  answer();
  expect((await inFlight).answer).toMatchObject({ state: 'executed' });
});

it('answers calls in flight before it ends on a signal', async () => {
  const open = Promise.withResolvers<() => void>();
  await using shop = await startUpstream((_, response) => open.resolve(() => response.end()));
  await using mcp = await startMcp({ args: ['--allowed-hosts', `127.0.0.1:${shop.port}`] });
  const { client, request } = await httpHost(mcp);
  const call = request({ method: 'GET', url: shop.origin, ...HARMLESS });
  const answer = await open.promise;
  const ended = mcp.stop();
  await expect.poll(() => fetch(mcp.url).catch(() => 'closed')).toBe('closed');
  answer();
  expect((await call).answer).toMatchObject({ state: 'executed' });
  await client.close();
  expect(await ended).toEqual({ code: 0, signal: null });
});

it('asks the user at most five questions at once, whatever the model calls', async () => {
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
      states.push(textOf(await host.request(pay)));
    });
    await expect.poll(() => states.length, POLLED).toBe(35);
    expect(answers).toHaveLength(5);
    for (const text of states) expect(text).toMatch(/5 other questions are waiting for the user/);
    for (const answer of answers) answer();
    await Promise.all(calls);
    expect(states.slice(35)).toEqual(Array(5).fill(expect.stringMatching(/status 200/)));
  }
});

it('100 sessions that listen and have cancelled a call are idle, also at shutdown', async () => {
  await using shop = await startUpstream(() => {});
  await using mcp = await startMcp({ args: ['--allowed-hosts', `127.0.0.1:${shop.port}`] });
  const accept = 'application/json, text/event-stream';
  const headers = { 'content-type': 'application/json', accept };
  const post = (body: string, session = {}) =>
    fetch(mcp.url, { method: 'POST', headers: { ...headers, ...session }, body });
  const get = { method: 'GET', url: shop.origin, ...HARMLESS };
  const params = { name: 'http_request', arguments: get };
  const call = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
  const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}';
  const streams: Response[] = [];
  for (let each = 0; each < 100; each++) {
    const opened = await post(INITIALIZE);
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const listening = fetch(mcp.url, { headers: { ...headers, ...session } });
    streams.push(await listening, await post(call, session));
    await post(cancel, session);
  }
  expect(streams.every(({ status }) => status === 200)).toBe(true);
  expect((await post(INITIALIZE)).status).toBe(200);
  const host = await httpHost(mcp);
  expect(await host.call('check_policy', HARMLESS)).toMatchObject({ isError: false });
  await host[Symbol.asyncDispose]();
  const stopping = performance.now();
  expect(await mcp.stop()).toEqual({ code: 0, signal: null });
  expect(performance.now() - stopping).toBeLessThan(9_000);
});

it('an upstream gets at most 50 calls at once, which leaves room for others', async () => {
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
  for (const text of refused) expect(text).toMatch(/^The request was refused before it was sent\./);
  expect(await other.call('check_policy', HARMLESS)).toMatchObject({ isError: false });
  gone.abort();
  await settled;
});
