import { EXECUTOR_PATHS } from '@gatehouse/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';

const executor = await startExecutor();
afterAll(() => executor[Symbol.asyncDispose]());

const json = async (path: string) => JSON.parse(await (await fetch(executor.url + path)).text());
const document = await json('/openapi.json');
const { parameters, responses } = document.paths[EXECUTOR_PATHS.execute].post;
const outcome = responses[200].content['application/json'];

describe('the OpenAPI document of the executor', () => {
  it('has every path that the service has', async () => {
    const { detail } = await json('/nothing');
    const [, paths = ''] = /: (.*)\.$/.exec(detail) ?? [];
    expect(Object.keys(document.paths).sort()).toEqual(
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

  it('has the parameters that mean something', () => {
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
  ])('%i: an example of each problem', (status, codes) => {
    expect(
      Object.keys(responses[status].content['application/problem+json'].examples).sort(),
    ).toEqual(codes);
  });

  it.each([
    [200, ['x-request-id']],
    [429, ['retry-after', 'x-request-id']],
    [503, ['retry-after', 'x-request-id']],
  ])('%i has these headers', (status, headers) => {
    expect(Object.keys(responses[status].headers).sort()).toEqual(headers);
  });

  it('shows the sandbox as it is out of the box', async () => {
    const { examples } =
      document.paths[EXECUTOR_PATHS.sandbox].get.responses[200].content['application/json'];
    expect(await json(EXECUTOR_PATHS.sandbox)).toEqual(examples.defaults.value);
  });
});
