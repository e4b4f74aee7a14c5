import { shared, startUpstream } from '@gatehouse/testing';
import type { ElicitResult } from '@modelcontextprotocol/client';
import { expect, it, vi } from 'vitest';
import { COSTS, HARMLESS, httpHost, startMcp, textOf } from './support/host.ts';

const upstream = shared(() => startUpstream({ body: { secret: 'of the upstream' } }));
const mcp = shared(() =>
  startMcp({
    args: ['--allowed-hosts', `127.0.0.1:${upstream().port}`, '--redacted-headers', 'x-badge'],
  }),
);
const host = shared(() => httpHost(mcp()));

const MIB = 1024 * 1024;
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

/** Hostile members of requests that are otherwise valid, by name. */
const HOSTILE: Readonly<Record<string, (port: number) => object>> = {
  'a private address': () => ({ url: 'http://10.0.0.1/' }),
  'the metadata service': () => ({ url: 'http://169.254.169.254/latest/meta-data/' }),
  'loopback by a name that is not listed': (port) => ({ url: `http://localhost:${port}/` }),
  'another port': (port) => ({ url: `http://127.0.0.1:${port + 1}/` }),
  'credentials in the URL': (port) => ({ url: `http://a:b@127.0.0.1:${port}/` }),
  'a line break in the URL': (port) => ({ url: `http://127.0.0.1:${port}/\r\nx: y` }),
  'a request as a method': () => ({ method: 'GET / HTTP/1.1\r\nx: y\r\n\r\nGET' }),
  'an unknown method': () => ({ method: 'CONNECT' }),
  'a line break in a header': () => ({ headers: { 'x-a': 'a\r\nx-b: c' } }),
  'a body that is too large': () => ({ method: 'POST', body: 'x'.repeat(MIB / 4) }),
  'a body that is too deep': () => ({ method: 'POST', body: nested(3_000) }),
  'a body deeper than the executor takes': () => ({ method: 'POST', body: nested(300) }),
  'a prototype in the body': () => ({ method: 'POST', body: JSON.parse('{"__proto__":{}}') }),
  'an unknown member': () => ({ follow: true }),
  'a misspelt section': () => ({ spends: HARMLESS.spend }),
  'an unknown member of a section': () => ({ spend: { ...HARMLESS.spend, limit: 1e9 } }),
  'an amount as text': () => ({ spend: { ...HARMLESS.spend, amount_minor_units: '1' } }),
  'an amount that no double holds': () => COSTS(2 ** 53),
  'an unknown category': () => ({ pii: { categories: ['none'] } }),
  'more members than anyone has': () => ({
    headers: Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`x-${i}`, ''])),
  }),
  'a schema that is none': () => ({ response_schema: { type: 'objekt' } }),
  'a schema from elsewhere': (port) => ({
    response_schema: { $ref: `http://127.0.0.1:${port}/schema.json` },
  }),
};

it('no hostile call reaches an upstream, and each answer says what to correct', async () => {
  const { origin, port, requests } = upstream();
  const fine = { method: 'GET', url: `${origin}/`, ...HARMLESS };
  for (const [name, hostile] of Object.entries(HOSTILE)) {
    const result = await host().request({ ...fine, ...hostile(port) });
    expect([name, result.isError, result.answer.state]).toEqual([name, true, 'refused']);
    expect(textOf(result), name).toMatch(/^The request was refused before it was sent\. \w/);
    expect(textOf(result).length, name).toBeLessThan(10_000);
  }
  for (const [body, says] of [
    ['x'.repeat(MIB / 4), '- arguments cannot be read: the JSON text is longer than'],
    [{ id: 2 ** 60 }, 'the number 1152921504606847000 has too many digits to be exact'],
    [JSON.parse('{"__proto__":{}}'), 'Remove all `__proto__` and `constructor.prototype`'],
  ])
    expect(textOf(await host().request({ ...fine, body }))).toContain(says);
  expect(requests).toEqual([]);
  const longest = { ...fine, method: 'POST', body: 'x'.repeat(MIB / 4 - 1_000) };
  expect((await host().request(longest)).answer.state).toBe('executed');
});

it('an unknown tool is a protocol error', async () => {
  await expect(host().call('shell', { command: 'id' })).rejects.toThrow('no tool `shell`');
});

it('the server refuses requests to its own address', async () => {
  await using own = await startMcp({ args: ['--allowed-hosts', '127.0.0.1'] });
  await using client = await httpHost(own);
  const result = await client.request({ method: 'GET', url: own.url, ...HARMLESS });
  expect(result.answer.problem).toMatchObject({ code: 'AddressNotAllowed' });
});

it('the log has every call, but no queries, headers, bodies or amounts', async () => {
  await host().request({
    ...{ method: 'POST', url: `${upstream().origin}/orders?key=canary-1` },
    ...{ headers: { authorization: 'Bearer canary-2' }, body: { note: 'canary-3' } },
    ...{ ...HARMLESS, spend: { amount_minor_units: 4711, currency: 'EUR' } },
  });
  await host().call('check_policy', { spend: 4711 });
  const { stderr, stdout } = mcp();
  expect(stderr).toMatch(/"tool":"check_policy".*"state":"refused","code":"InvalidRequest"/);
  expect(stderr).toMatch(/"state":"executed".*"method":"POST".*"path":"\/orders"/);
  // Remove times, ids and ports, which may contain the digits of the amount by chance.
  const rest = stderr.replaceAll(/"(?:time|request_id)":"[^"]*"|127\.0\.0\.1:\d+/g, '');
  expect(rest).not.toMatch(/canary|4711|47\.11/);
  expect(stdout).toBe('');
});

it('asks about the exact request, on lines that its content cannot forge', async () => {
  const pay = { method: 'POST', url: upstream().origin, ...COSTS(20_000) };
  const user = vi.fn((_question: string): ElicitResult => ({ action: 'decline' }));
  await using asking = await httpHost(mcp(), { user });
  const headers = { authorization: 'Bearer canary', 'x-badge': '7', 'x-monkey': 'DELETE' };
  const body = { note: 'a\nb\u3164\u202e' };
  await asking.request({ ...pay, headers, body });
  await asking.request({ ...pay, body: 'x'.repeat(3_600) });
  for (const long of [{ body: 'x'.repeat(4_000) }, { body: '\u202e'.repeat(500) }]) {
    const result = await asking.request({ ...pay, ...long });
    expect(result.answer).toMatchObject({ state: 'needs_approval' });
    expect(textOf(result)).toMatch(/Nothing was sent\..*No one was asked.*4000 characters/);
  }
  const questions = user.mock.calls.flat();
  expect(questions[0]?.split('\n')).toEqual([
    `Send POST ${upstream().origin}?`,
    'Headers: authorization: …, x-badge: …, x-monkey: DELETE',
    'Body: {"note":"a\\nb\\u{3164}\\u{202e}"}',
    expect.stringContaining('Facts given to the policy: {"spend":{"amount_minor_units":20000,'),
    expect.stringMatching(/^Reason for approval: spend_limit: EUR 200\.00/),
  ]);
  expect(questions.slice(1)).toEqual([expect.stringContaining(`"${'x'.repeat(3_600)}"`)]);
});
