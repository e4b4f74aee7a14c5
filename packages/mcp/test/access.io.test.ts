import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { shared } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { HARMLESS, httpHost, INITIALIZE, type McpProcess, startMcp } from './support/host.ts';

const TOKEN = 'a-token-of-clients';
const open = shared(() => startMcp());
const guarded = shared(() =>
  startMcp({ args: ['--http-names', 'mcp.example.com'], env: { GATEHOUSE_MCP_TOKEN: TOKEN } }),
);

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const ACCEPT = 'application/json, text/event-stream';

/** Sends a request with any header, because `fetch` refuses to set `host`. */
async function post(
  { port }: Pick<McpProcess, 'port'>,
  headers: http.OutgoingHttpHeaders = {},
  { path = '/mcp', body = INITIALIZE, method = 'POST' } = {},
) {
  const sent = { 'content-type': 'application/json', accept: ACCEPT, ...headers };
  const request = http.request({ host: '127.0.0.1', port, path, method, headers: sent });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  await text(response);
  return { status: response.statusCode, headers: response.headers };
}

type Cases = readonly (readonly [headers: http.OutgoingHttpHeaders, status: number])[];

it('a server without a token answers only to loopback names', async () => {
  const { port } = open();
  const cases: Cases = [
    [{}, 200],
    [{ host: `localhost:${port}` }, 200],
    [{ host: `[::1]:${port}` }, 200],
    [{ host: 'evil.example' }, 403],
    [{ host: 'localhost.evil.example' }, 403],
    [{ host: '127.0.0.1.evil.example' }, 403],
    [{ host: 'localhost:65536' }, 403],
    [{ origin: `http://localhost:${port}` }, 200],
    [{ origin: 'http://evil.example' }, 403],
    [{ origin: 'null' }, 403],
  ];
  for (const [headers, status] of cases)
    expect([headers, (await post(open(), headers)).status]).toEqual([headers, status]);
});

it('a token is required in addition to a known name', async () => {
  const right = `Bearer ${TOKEN}`;
  const named = { host: 'mcp.example.com' };
  const cases: Cases = [
    [{}, 401],
    [{ authorization: 'Bearer ' }, 401],
    [{ authorization: `Bearer ${TOKEN}x` }, 401],
    [{ authorization: TOKEN }, 401],
    [{ authorization: right }, 200],
    [{ authorization: right, ...named }, 200],
    [{ authorization: right, ...named, origin: 'https://mcp.example.com' }, 200],
    [{ authorization: right, host: 'other.example.com' }, 403],
  ];
  for (const [headers, status] of cases) {
    const answer = await post(guarded(), headers);
    expect([headers, answer.status]).toEqual([headers, status]);
    if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer');
  }
  await using host = await httpHost(guarded(), { token: TOKEN });
  const checked = await host.call('check_policy', HARMLESS);
  expect(checked.answer).toMatchObject({ decision: 'allow' });
  expect(guarded().output).not.toContain(TOKEN);
});

it('invalid MCP messages are refused within limits', async () => {
  const session = { 'mcp-session-id': '6f1a4f5e-0000-4000-8000-000000000000' };
  const large = `{"jsonrpc":"2.0","id":1,"method":"ping","x":"${'x'.repeat(512 * 1024)}"}`;
  for (const [status, headers, request] of [
    [404, {}, { path: '/' }],
    [413, {}, { body: large }],
    [400, {}, { body: '{' }],
    [400, {}, { body: PING }],
    [404, session, { body: PING }],
    [415, { 'content-type': 'text/plain' }, {}],
    [405, {}, { method: 'PUT' }],
  ] as const)
    expect([request, (await post(open(), headers, request)).status]).toEqual([request, status]);
});

it('keeps 100 sessions, and evicts the least recently used one first', async () => {
  await using mcp = await startMcp();
  const initialize = async () => String((await post(mcp)).headers['mcp-session-id']);
  const alive = async (id: string) =>
    (await post(mcp, { 'mcp-session-id': id }, { body: PING })).status;
  const first = await initialize();
  const second = await initialize();
  for (let session = 3; session <= 100; session++) await initialize();
  expect((await post(mcp, {}, { method: 'GET', body: '' })).status).toBe(400);
  expect((await post(mcp, {}, { body: PING })).status).toBe(400);
  expect(await alive(first)).toBe(200);
  await initialize();
  expect([await alive(first), await alive(second)]).toEqual([200, 404]);
});
