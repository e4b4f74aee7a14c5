import { readFileSync } from 'node:fs';
import { EXECUTOR_PATHS, METHODS } from '@gatehouse/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';

const executor = await startExecutor();
afterAll(() => executor[Symbol.asyncDispose]());

const json = async (path: string) => JSON.parse(await (await fetch(executor.url + path)).text());
const document = await json('/openapi.json');
const { parameters, responses } = document.paths[EXECUTOR_PATHS.execute].post;
const outcome = responses[200].content['application/json'];

describe('the OpenAPI document of the executor', () => {
  it('equals the generated file in the repository', () => {
    const file = new URL('../../../openapi/executor.json', import.meta.url);
    expect(document).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  });

  it('has every path of the service', async () => {
    const { detail } = await json('/nothing');
    const [, paths = ''] = /: (.*)\.$/.exec(detail) ?? [];
    expect([...Object.keys(document.paths), '/docs'].sort()).toEqual(
      [...paths.split(', '), '/problems/{code}'].sort(),
    );
  });

  it('tells outcomes apart by `outcome`', () => {
    expect(outcome.schema).toEqual({ $ref: '#/components/schemas/ExecuteAnswer' });
    const { oneOf, discriminator } = document.components.schemas.ExecuteAnswer;
    expect(discriminator.propertyName).toBe('outcome');
    expect(Object.keys(discriminator.mapping)).toEqual(['success', 'failure', 'dry_run']);
    expect(oneOf.map(({ $ref }: { $ref: string }) => $ref)).toEqual(
      Object.values(discriminator.mapping),
    );
    for (const [value, ref] of Object.entries<string>(discriminator.mapping)) {
      const schema = document.components.schemas[ref.split('/').at(-1) ?? ''];
      expect(schema.properties.outcome.const).toBe(value);
    }
  });

  it('has exactly the parameters that have an effect', () => {
    const named = parameters.map(
      ({ name, in: place }: { name: string; in: string }) => `${place} ${name}`,
    );
    expect(named).toEqual([
      'query dry_run',
      'header x-request-id',
      'header traceparent',
      'header tracestate',
    ]);
  });

  it.each([
    [400, ['InvalidAction', 'InvalidResponseSchema', 'MalformedJson', 'MalformedRequest']],
    [403, ['AddressNotAllowed', 'HostNotAllowed']],
    [429, ['TooManyRequests']],
    [503, ['Overloaded']],
  ])('has an example of each problem with status %i', (status, codes) => {
    expect(
      Object.keys(responses[status].content['application/problem+json'].examples).sort(),
    ).toEqual(codes);
  });

  it.each([
    [200, ['x-request-id']],
    [429, ['retry-after', 'x-request-id']],
    [503, ['retry-after', 'x-request-id']],
  ])('documents the headers of status %i', (status, headers) => {
    expect(Object.keys(responses[status].headers).sort()).toEqual(headers);
  });

  it('lists enumerated values and allows any JSON', () => {
    const { schemas } = document.components;
    const { properties } = schemas.ActionArguments;
    expect(properties.method).toMatchObject({ $ref: '#/components/schemas/Method' });
    expect(schemas.Method.enum).toEqual(METHODS);
    expect(properties.headers.anyOf).toEqual([
      { $ref: '#/components/schemas/RequestHeaders' },
      { type: 'null' },
    ]);
    expect(schemas.ResponseSchema).toEqual({ type: 'object', additionalProperties: true });
    expect(parameters[0].schema.type).toBe('boolean');
    expect(JSON.stringify(document)).not.toMatch(/x-violation|x-shown/);
  });

  it('states exactly the limits of an action that the service enforces', async () => {
    const { RequestHeaders, ActionArguments } = document.components.schemas;
    const { minLength, maxLength, pattern } = ActionArguments.properties.url;
    const judge = async (action: object) =>
      (await executor.dryRun({ method: 'GET', url: executor.url, ...action })).status;
    const url = (length: number) => executor.url.padEnd(length, '/').slice(0, length);
    const headers = (count: number, value = '') =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, value]));
    const value = (length: number) => ({ headers: headers(1, 'v'.repeat(length)) });
    const mostHeaders = RequestHeaders.maxProperties;
    const longest = RequestHeaders.additionalProperties.maxLength;
    expect(minLength).toBe(1);
    // A 403 shows that the action is well-formed, because its URL is this executor itself.
    for (const [status, action] of [
      [400, { url: '' }],
      [403, { url: url(maxLength) }],
      [400, { url: url(maxLength + 1) }],
      [403, { headers: headers(mostHeaders) }],
      [400, { headers: headers(mostHeaders + 1) }],
      [403, value(longest)],
      [400, value(longest + 1)],
    ] as const) {
      expect(await judge(action), JSON.stringify(action).slice(0, 40)).toBe(status);
    }
    for (const url of ['ftp://a/', '/a', 'http://', 'http://a@b/', `http://${'a'.repeat(254)}`]) {
      expect([url, new RegExp(pattern).test(url), await judge({ url })]).toEqual([url, false, 400]);
    }
    for (const url of [
      'HTTP://a',
      'https://[2001:db8::1]:8/',
      'http://ä?b',
      `http://${'a'.repeat(253)}`,
    ]) {
      expect([url, new RegExp(pattern).test(url), await judge({ url })]).toEqual([url, true, 403]);
    }
  });

  it('shows the default sandbox', async () => {
    const { examples } =
      document.paths[EXECUTOR_PATHS.sandbox].get.responses[200].content['application/json'];
    expect(await json(EXECUTOR_PATHS.sandbox)).toEqual(examples.defaults.value);
  });
});
