import { compileValidator } from '@gatehouse/contracts/validation';
import { shared, startUpstream } from '@gatehouse/testing';
import type { TSchema } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { HARMLESS, httpHost, startMcp, stdioHost, textOf } from './support/host.ts';

const shop = shared(() => startUpstream({ body: {} }));
const args = () => ['--allowed-hosts', `127.0.0.1:${shop().port}`];
const mcp = shared(() => startMcp({ args: args() }));

const TRANSPORTS = [
  ['stdio', () => stdioHost({ args: args() })],
  ['Streamable HTTP', () => httpHost(mcp())],
] as const;

const OBJECT = /`?\/body`? is text that holds a JSON object; write the object itself, .*"body": \{/;
const LIST = /is text that holds a JSON list; write the list itself, .*`"body": \[1, 2\]`/;
const NO_BODY = /is empty; leave `body` out of a GET request/;
const typed = (type: string) => ({ headers: { 'Content-Type': type } });

/** Requests that are refused, with the advice that the model gets. */
const REFUSED: readonly (readonly [name: string, request: object, says: RegExp])[] = [
  ['an object', { body: '{"product":7}' }, OBJECT],
  ['an object with spaces around it', { body: ' \n{ "a": "}" }\n' }, OBJECT],
  ['an object as JSON', { body: '{}', ...typed('application/json') }, OBJECT],
  ['an object as JSON with a charset', { body: '{}', ...typed('Application/JSON; a=b') }, OBJECT],
  ['an object as a JSON dialect', { body: '{}', ...typed('application/ld+json') }, OBJECT],
  ['a list', { body: '[{"product":7}]' }, LIST],
  ['no text with GET', { method: 'GET', body: '' }, NO_BODY],
  ['no members with GET', { method: 'get', body: {} }, NO_BODY],
  ['no items with GET', { method: 'GET', body: [] }, NO_BODY],
  ['no text with HEAD', { method: 'HEAD', body: '' }, /leave `body` out of a HEAD request/],
];

/** Requests that are sent as they are, with the body that the upstream gets. */
const SENT: readonly (readonly [name: string, request: object, received: string])[] = [
  ['an object', { body: { product: 7 } }, '{"product":7}'],
  ['a list', { body: [7] }, '[7]'],
  ['text that is not JSON', { body: '{product' }, '"{product"'],
  ['text that holds a JSON string', { body: '"7"' }, '"\\"7\\""'],
  ['JSON as text', { body: '{"a":1}', ...typed('text/plain') }, '{"a":1}'],
  ['JSON lines', { body: '{"a":1}', ...typed('application/x-ndjson') }, '{"a":1}'],
  ['an empty object with POST', { body: {} }, '{}'],
  ['no body with GET', { method: 'get', body: null }, ''],
  ['a query with GET', { method: 'GET', body: { query: 1 } }, '{"query":1}'],
];

describe.each(TRANSPORTS)('over %s', (_name, connect) => {
  const host = shared<Awaited<ReturnType<typeof connect>>>(connect);
  const post = () => ({ method: 'POST', url: `${shop().origin}/orders`, ...HARMLESS });

  it('the schema names the types of a body, and accepts methods in either case', async () => {
    const { tools } = await host().client.listTools();
    const { inputSchema } = tools.find(({ name }) => name === 'http_request') ?? {};
    const { body, method } = Object(inputSchema).properties;
    const types = body.anyOf.map(({ type }: { readonly type: string }) => type);
    expect(types).toEqual(['object', 'array', 'string', 'number', 'boolean']);
    const check = compileValidator(method as TSchema);
    for (const word of ['GET', 'get', 'PATCH', 'patch'])
      expect([word, check(word).ok]).toEqual([word, true]);
    for (const word of ['CONNECT', 'get ', ''])
      expect([word, check(word).ok]).toEqual([word, false]);
    expect(method.description).toMatch(/upper or lower case/);
  });

  it('a body that was probably meant otherwise is refused before anything is sent', async () => {
    const before = shop().requests.length;
    for (const [name, request, says] of REFUSED) {
      const result = await host().request({ ...post(), ...request });
      expect([name, result.isError, result.answer.state]).toEqual([name, true, 'refused']);
      expect(textOf(result), name).toMatch(says);
    }
    expect(shop().requests).toHaveLength(before);
  });

  it('every other body is sent as it is', async () => {
    for (const [name, request, received] of SENT) {
      const result = await host().request({ ...post(), ...request });
      expect([name, result.answer.state]).toEqual([name, 'executed']);
      expect([name, shop().requests.at(-1)?.body]).toEqual([name, received]);
    }
  });
});
